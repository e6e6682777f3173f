# about: A class with a cache in front of the price table; a basket asks it several times.
# features: class with dict cache, early return on hit, method calls in comprehension, sum of products
# latency: lookup=3
# ideal_units: 3
# ideal_why: all keys are literals
# v1_units: 15
# v1_why: methods are opaque
class Prices:
    def __init__(self, table):
        self.table = table
        self.cache = {}
        self.hits = 0

    def get(self, sku):
        if sku in self.cache:
            self.hits += 1
            return self.cache[sku]
        value = lookup(self.table, sku)
        self.cache[sku] = value
        return value


prices = Prices("prices")
basket = [("sku-1", 2), ("sku-3", 1), ("sku-1", 1), ("sku-4", 1), ("sku-3", 5), ("sku-2", 2)]
total = sum(prices.get(sku) * n for sku, n in basket)
discount = 0.9 if total > 100 else 1.0
print(f"{total * discount:.2f} EUR, {prices.hits} cached, stock of sku-5: {lookup('stock', 'sku-5')}")
