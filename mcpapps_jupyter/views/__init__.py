"""One open page: the widget in the notebook, the relay behind it, and the rules between them."""
