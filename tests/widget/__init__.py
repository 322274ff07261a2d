"""The widget's front end in a real browser, with a few lines as its kernel and no Jupyter around it."""
