"""Small programs that print plain lines `name value`; ratios are measured side by side in one run, since machines are noisy."""
