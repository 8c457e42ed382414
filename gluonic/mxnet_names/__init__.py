"""MXNet's names of modules and their contents: tables, and the import hook that reads them."""
