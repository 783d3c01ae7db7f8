"""ChEMBL: molecules with their structures and calculated properties."""
