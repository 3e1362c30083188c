"""Configuration files (TOML) and the one loader that reads them."""
