"""read_workbook.py FILE.xlsx: its one sheet as csv on standard output, read by zipfile and an XML parser alone."""
import sys
import xml.etree.ElementTree as tree
import zipfile

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"

archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
names = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
assert names == ["xl/worksheets/sheet1.xml"], names
for part in archive.namelist():
    tree.fromstring(archive.read(part))
data = tree.fromstring(archive.read(names[0])).find(f"{SHEET}sheetData")
for row in data:
    cells = {}
    for cell in row:
        place = "".join(letter for letter in cell.get("r") if letter.isalpha())
        column = 0
        for letter in place:
            column = 26 * column + ord(letter) - ord("A") + 1
        cells[column] = "".join(cell.itertext())
    print(",".join(cells.get(column, "") for column in range(1, max(cells) + 1)))
