"""The chain's opening data: six stores, eight departments, forty products; the same at every start."""

from .models import Category, Product, Store, Supplier

CATEGORIES = (
    Category(id=1, name="Fruit & Vegetables", description="Fresh produce, delivered every morning"),
    Category(id=2, name="Dairy & Eggs", description="Milk, cheese, butter and eggs"),
    Category(id=3, name="Bakery", description="Bread and pastry, baked overnight"),
    Category(id=4, name="Meat & Fish", description="The fresh counter"),
    Category(id=5, name="Pantry", description="Dry goods, oil and tins"),
    Category(id=6, name="Frozen", description="Everything from the freezer"),
    Category(id=7, name="Drinks", description="Water, juice, coffee and tea"),
    Category(id=8, name="Household", description="Paper, soap and cleaning"),
)

# id, name, contact, e-mail, days from order to delivery, smallest order in dollars.
_SUPPLIERS = (
    (1, "Green Valley Growers", "Ines Moreau", "orders@greenvalley.example", 1, 80),
    (2, "Alder Dairy Cooperative", "Tom Alder", "sales@alderdairy.example", 2, 120),
    (3, "Stone Mill Bakers", "Ruth Okafor", "night@stonemill.example", 1, 60),
    (4, "Northsea Fish & Meats", "Lars Holm", "counter@northsea.example", 2, 150),
    (5, "Larder Wholesale", "Priya Nair", "trade@larder.example", 4, 200),
    (6, "Polar Line Foods", "Mika Laine", "dispatch@polarline.example", 5, 180),
    (7, "Clearwater Beverages", "Sofia Conti", "orders@clearwater.example", 3, 150),
    (8, "Homewell Supplies", "Daniel Roth", "b2b@homewell.example", 6, 100),
)

# id, name, city, address, manager, opening hours, floor space against the average store in percent.
_STORES = (
    (1, "Harbour Market", "Northhaven", "2 Quay Street", "Elena Brandt", "07:00-22:00", 130),
    (2, "Old Town Grocer", "Northhaven", "41 Chapel Lane", "Marcus Webb", "08:00-20:00", 70),
    (3, "Riverside Fresh", "Millbridge", "118 River Road", "Aiko Tanaka", "07:00-22:00", 115),
    (4, "Hilltop Foods", "Millbridge", "7 Summit Avenue", "Joana Reis", "08:00-21:00", 90),
    (5, "Parkside Market", "Elmford", "63 Park Row", "Samuel Idowu", "07:00-21:00", 100),
    (6, "Station Express", "Elmford", "Central Station, Hall B", "Nora Lindqvist", "05:30-23:30", 45),
)

# id: name, unit, price, supplier, full shelf in an average store. The first digit of the id is the category.
_PRODUCTS: dict[int, tuple[str, str, float, int, int]] = {
    101: ("Bananas", "kg", 1.89, 1, 120),
    102: ("Gala Apples", "kg", 2.79, 1, 110),
    103: ("Vine Tomatoes", "kg", 3.49, 1, 80),
    104: ("Baby Spinach", "bag", 2.29, 1, 60),
    105: ("Avocados", "piece", 1.35, 1, 90),
    201: ("Whole Milk 1 L", "bottle", 1.25, 2, 160),
    202: ("Free-Range Eggs", "box of 10", 3.59, 1, 90),
    203: ("Salted Butter", "pack", 2.99, 2, 80),
    204: ("Greek Yoghurt", "pot", 2.45, 2, 70),
    205: ("Mature Cheddar", "pack", 4.79, 2, 60),
    301: ("Sourdough Loaf", "loaf", 4.25, 3, 50),
    302: ("Wholegrain Rolls", "bag of 6", 2.95, 3, 45),
    303: ("Butter Croissants", "bag of 4", 3.75, 3, 40),
    304: ("Seeded Bagels", "bag of 5", 3.15, 3, 35),
    305: ("Cinnamon Buns", "box of 4", 4.95, 3, 25),
    401: ("Chicken Breast", "kg", 9.49, 4, 45),
    402: ("Minced Beef", "kg", 10.95, 4, 40),
    403: ("Salmon Fillet", "kg", 21.5, 4, 25),
    404: ("Pork Sausages", "pack", 4.65, 4, 50),
    405: ("Smoked Mackerel", "pack", 5.2, 4, 30),
    501: ("Spaghetti 500 g", "pack", 1.45, 5, 140),
    502: ("Basmati Rice 1 kg", "bag", 3.25, 5, 100),
    503: ("Olive Oil 750 ml", "bottle", 9.9, 5, 60),
    504: ("Chopped Tomatoes", "tin", 1.1, 5, 180),
    505: ("Rolled Oats 1 kg", "bag", 2.35, 5, 75),
    601: ("Garden Peas", "bag", 2.1, 6, 80),
    602: ("Oven Chips", "bag", 2.89, 6, 70),
    603: ("Vanilla Ice Cream", "tub", 4.5, 6, 55),
    604: ("Margherita Pizza", "box", 3.95, 6, 65),
    605: ("Mixed Berries", "bag", 4.35, 6, 45),
    701: ("Spring Water 6 x 1.5 L", "case", 3.3, 7, 110),
    702: ("Orange Juice 1 L", "carton", 2.75, 7, 95),
    703: ("Ground Coffee", "pack", 6.95, 7, 65),
    704: ("Breakfast Tea", "box of 80", 3.6, 7, 60),
    705: ("Sparkling Lemonade", "bottle", 1.95, 7, 85),
    801: ("Toilet Paper", "pack of 9", 5.49, 8, 100),
    802: ("Dish Soap", "bottle", 2.15, 8, 70),
    803: ("Laundry Detergent", "bottle", 8.75, 8, 50),
    804: ("Kitchen Towels", "pack of 4", 3.85, 8, 75),
    805: ("Bin Bags", "roll", 2.6, 8, 60),
}

# How full the shelves are, in percent. Walked with a stride, so that neighbours differ.
_FILL = (84, 61, 93, 47, 72, 26, 88, 55, 100, 38, 67, 79, 14, 91, 52, 76, 43, 96, 31, 69, 82, 58, 8, 87, 64)

# A platform kiosk sells what travellers carry away: no counter, no bulk, no big household packs.
_NOT_AT_STATION = frozenset(
    (103, 203, 205, 302, 401, 402, 403, 404, 405, 502, 503, 504, 505, 601, 602, 605, 701, 801, 803, 804)
)

# A few shelves that somebody has to look at today.
_SPECIAL = {(1, 303): 0, (3, 202): 0, (4, 703): 0, (2, 101): 4, (5, 403): 1}

SUPPLIERS = tuple(
    Supplier(id=id_, name=name, contact=contact, email=email, lead_time_days=days, minimum_order=minimum)
    for id_, name, contact, email, days, minimum in _SUPPLIERS
)

STORES = tuple(
    Store(id=id_, name=name, city=city, address=address, manager=manager, opening_hours=hours)
    for id_, name, city, address, manager, hours, _ in _STORES
)

PRODUCTS = tuple(
    Product(id=id_, name=name, category_id=id_ // 100, supplier_id=supplier, unit=unit, unit_price=price)
    for id_, (name, unit, price, supplier, _) in _PRODUCTS.items()
)


def opening_stock() -> dict[tuple[int, int], tuple[int, int, int]]:
    """Return the inventory as the day begins.

    Returns
    -------
    dict
        `(store id, product id)` to `(quantity, reorder point, target level)`, in units of the product.
    """
    stock = {}
    for store, *_, size in _STORES:
        for index, (product, (*_, shelf)) in enumerate(_PRODUCTS.items()):
            if store == 6 and product in _NOT_AT_STATION:
                continue
            target = max(6, round(shelf * size / 100))
            fill = _FILL[(store * 11 + index * 7) % len(_FILL)]
            quantity = _SPECIAL.get((store, product), round(target * fill / 100))
            stock[store, product] = (quantity, max(2, round(target * 0.25)), target)
    return stock
