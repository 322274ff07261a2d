"""Words of the trade, for the prompt that explains them."""

TERMS = {
    "dead stock": "Goods that have not sold for so long that they probably never will.",
    "lead time": "Days between placing an order and having the goods on the shelf.",
    "reorder point": "The quantity at which to order, so that the goods arrive before the shelf is empty.",
    "safety stock": "A reserve for days on which more is sold, or a delivery comes late.",
    "shrinkage": "Stock that is on the books but not on the shelf: spoiled, stolen, broken or miscounted.",
    "stock turn": "How many times a year the stock is sold and replaced.",
    "target level": "What the shelf and the back room hold when full; an order fills up to it.",
}
