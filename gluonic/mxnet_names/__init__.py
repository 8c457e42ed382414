"""The names under which MXNet has things: tables, and the import hook that reads them."""
