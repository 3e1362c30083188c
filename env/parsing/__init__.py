"""The parsing game: any file → clean, complete text, by choosing among parsing tools."""
