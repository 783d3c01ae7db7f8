"""RCSB PDB: entries of the Protein Data Bank."""
