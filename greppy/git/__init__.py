"""Projects, their listings and their files: everything that touches git or the working tree."""
