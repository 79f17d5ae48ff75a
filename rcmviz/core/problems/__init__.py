"""Small problems and their files: JSON, CSV and npz."""
