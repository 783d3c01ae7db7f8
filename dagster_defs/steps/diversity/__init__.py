"""Which questions say nearly the same, which of them to leave out, and how distinct a set of questions is."""
