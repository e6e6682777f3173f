# about: A table of prices in several currencies: nested loops, rows as lists, column widths from the data.
# features: nested comprehension over two known lists, zip transposed, format widths from results, round
# latency: lookup=2
# ideal_units: 2
# ideal_why: all keys are literals
# v1_units: 4
# v1_why: two blocks
SKUS, CURRENCIES = ["sku-1", "sku-3", "sku-4"], ["EUR", "USD", "SEK"]
rows = [[sku] + [f"{lookup('prices', sku) * lookup('rates', c):,.2f}" for c in CURRENCIES] for sku in SKUS]
header = ["product"] + CURRENCIES
widths = [max(len(row[i]) for row in [header] + rows) for i in range(len(header))]
for row in [header] + rows:
    print("  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))))
totals = [sum(float(v.replace(",", "")) for v in column) for column in list(zip(*rows))[1:]]
print([round(t, 1) for t in totals])
