"""Arrays on a GPU; here it is an emulated one."""
