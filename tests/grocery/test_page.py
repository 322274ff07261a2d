"""The page does what it shows, in the official host side: every control, any width, both themes."""

import csv
import io
from collections.abc import Iterator

import pytest
from playwright.async_api import expect

from .plain_host import GROUNDS, PlainHost, plain_host

pytestmark = [pytest.mark.browser, pytest.mark.npm]


@pytest.fixture(scope="module")
def host() -> Iterator[PlainHost]:
    with plain_host() as host:
        yield host


def test_buttons_change_the_stock(host: PlainHost):
    async def run():
        async with host.open_app() as opened:
            before = opened.service.row(2, 101).quantity
            await opened.get("plus-2-101").click()
            await expect(opened.get("qty-2-101")).to_have_text(str(before + 1))
            await opened.get("minus-2-101").click()
            await opened.get("minus-2-101").click()
            await expect(opened.get("qty-2-101")).to_have_text(str(before - 1))
            await opened.get("plus-2-101").click(modifiers=["Shift"])
            await expect(opened.get("qty-2-101")).to_have_text(str(before + 9))
            assert opened.service.row(2, 101).quantity == before + 9

    host.run(run())


def test_fast_clicks_all_count(host: PlainHost):
    async def run():
        async with host.open_app() as opened:
            before = opened.service.row(2, 101).quantity
            await opened.app.evaluate(
                "() => { const plus = document.querySelector('[data-testid=plus-2-101]');"
                " for (let i = 0; i < 20; i += 1) plus.click(); }"
            )
            await expect(opened.get("qty-2-101")).to_have_text(str(before + 20))
            assert opened.service.row(2, 101).quantity == before + 20

    host.run(run())


def test_a_refusal_is_shown_in_words_and_changes_nothing(host: PlainHost):
    async def run():
        async with host.open_app() as opened:
            await opened.get("minus-1-303").click()
            await expect(opened.get("notice")).to_contain_text(
                "Harbour Market has no Butter Croissants on hand"
            )
            await expect(opened.get("qty-1-303")).to_have_text("0")
            await opened.get("dismiss").click()
            await expect(opened.get("notice")).to_be_hidden()
            assert opened.service.revision == 0

    host.run(run())


def test_figures_and_marks_follow_the_stock(host: PlainHost):
    async def run():
        async with host.open_app() as opened:
            row = opened.get("row-5-403")
            await expect(row).to_contain_text("Low")
            low = int(await opened.get("figure-low").inner_text())
            await opened.get("minus-5-403").click()
            await expect(row).to_contain_text("Out")
            await expect(opened.get("figure-out")).to_have_text("4")
            await opened.get("plus-5-403").click(modifiers=["Shift"])
            await expect(row).to_contain_text("OK")
            await expect(opened.get("figure-low")).to_have_text(str(low - 1))
            await expect(row).to_be_visible()  # stays where it is, under the pointer

    host.run(run())


def test_changes_made_by_others_show_by_themselves(host: PlainHost):
    async def run():
        async with host.open_app() as opened:
            changed = await opened.call("adjust_stock", storeId=2, productId=101, delta=3)
            await expect(opened.get("qty-2-101")).to_have_text(str(changed["quantity"]), timeout=15_000)
            await opened.call("set_inventory", storeId=6, productId=801, quantity=4)
            await opened.get("search").fill("station toilet")
            await expect(opened.get("qty-6-801")).to_have_text("4", timeout=15_000)

    host.run(run())


def test_the_selection_reaches_the_host(host: PlainHost):
    async def run():
        async with host.open_app() as opened:
            await opened.get("select-2-101").check()
            await opened.get("select-1-303").check()
            await opened.page.wait_for_function(
                "host.contexts.at(-1)?.structuredContent.selected.length === 2"
            )
            context = (await opened.told("contexts"))[-1]
            bananas = context["structuredContent"]["selected"][0]
            assert bananas == opened.service.row(2, 101).model_dump(mode="json")
            assert "Bananas (productId 101) at Old Town Grocer (storeId 2)" in context["content"][0]["text"]
            await expect(opened.get("summary")).to_contain_text("2 selected")

            await opened.get("plus-2-101").click()  # the host sees what the page shows
            more = bananas["quantity"] + 1
            await opened.page.wait_for_function(
                f"host.contexts.at(-1)?.structuredContent.selected[0].quantity === {more}"
            )
            await opened.get("clear-selection").click()
            await opened.page.wait_for_function(
                "host.contexts.at(-1)?.structuredContent.selected.length === 0"
            )
            await expect(opened.get("select-2-101")).not_to_be_checked()

    host.run(run())


def test_select_all_takes_what_the_table_shows(host: PlainHost):
    async def run():
        async with host.open_app(storeId=1) as opened:
            await opened.get("only-low").click()
            await opened.get("select-all").check()
            low = len(opened.service.low_stock(1))
            await opened.page.wait_for_function(
                f"host.contexts.at(-1)?.structuredContent.selected.length === {low}"
            )

    host.run(run())


def test_an_order_is_drafted_for_the_selection_or_for_what_is_low(host: PlainHost):
    async def run():
        async with host.open_app() as opened:
            await opened.get("draft-order").click()
            await opened.page.wait_for_function("host.messages.length === 1")
            await expect(opened.get("notice")).to_contain_text("handed over")
            await opened.get("select-2-101").check()
            await opened.get("draft-order").click()
            await opened.page.wait_for_function("host.messages.length === 2")
            everything, one = [message["content"][0]["text"] for message in await opened.told("messages")]
            assert everything.count("\n- ") == len(opened.service.low_stock())
            assert one.count("\n- ") == 1
            assert "Green Valley Growers:\n- 80 kg of Bananas for Old Town Grocer (4 on hand)" in one

            await opened.page.evaluate("host.refuse = true")
            await opened.get("draft-order").click()
            await expect(opened.get("notice")).to_contain_text("The order was not sent.")

    host.run(run())


def test_the_table_can_be_saved_as_csv(host: PlainHost):
    async def run():
        async with host.open_app(storeId=3) as opened:
            await opened.get("category-filter").select_option("3")
            await opened.get("download-csv").click()
            await opened.page.wait_for_function("host.downloads.length === 1")
            [download] = await opened.told("downloads")
            resource = download["contents"][0]["resource"]
            assert resource["mimeType"] == "text/csv"
            rows = list(csv.DictReader(io.StringIO(resource["text"])))
            expected = [row for row in opened.service.inventory(3) if row.category_id == 3]
            assert {(int(r["productId"]), int(r["quantity"])) for r in rows} == {
                (r.product_id, r.quantity) for r in expected
            }

    host.run(run())


def test_a_count_is_asked_for_before_it_replaces_anything(host: PlainHost):
    async def run():
        async with host.open_app() as opened:
            dialog = opened.app.get_by_role("dialog")
            await opened.get("qty-2-101").click()
            await expect(dialog).to_contain_text("Old Town Grocer has 4 kg on record")
            await opened.get("count-input").fill("77")
            await expect(opened.get("count-save")).to_have_text("Replace 4 by 77")
            await opened.get("count-cancel").click()
            await expect(dialog).to_have_count(0)
            await opened.get("qty-2-101").click()
            await opened.page.keyboard.press("Escape")
            await expect(dialog).to_have_count(0)
            assert opened.service.revision == 0

            await opened.get("qty-2-101").click()
            for odd in ("-1", "1.5", ""):
                await opened.get("count-input").fill(odd)
                await opened.get("count-save").click()
                await expect(dialog).to_be_visible()
            await opened.get("count-input").fill("77")
            await opened.page.keyboard.press("Enter")
            await expect(opened.get("qty-2-101")).to_have_text("77")
            await expect(opened.get("qty-2-101")).to_be_focused()
            assert opened.service.row(2, 101).quantity == 77

    host.run(run())


def test_filters_narrow_table_figures_and_chart(host: PlainHost):
    async def run():
        async with host.open_app() as opened:
            rows = opened.app.locator("tbody tr")
            await expect(rows).to_have_count(len(opened.service.inventory()))
            await opened.get("store-filter").select_option("6")
            await expect(rows).to_have_count(20)
            await opened.get("category-filter").select_option("1")
            await expect(rows).to_have_count(4)
            await expect(opened.get("chart").locator("[data-pick]")).to_have_count(4)
            await opened.get("search").fill("spinach")
            await expect(rows).to_have_count(1)
            await opened.get("search").fill("zebra")
            await expect(opened.get("empty")).to_be_visible()
            await expect(opened.get("download-csv")).to_be_disabled()
            await opened.get("clear-filters").click()
            await expect(rows).to_have_count(len(opened.service.inventory()))
            await opened.get("only-out").click()
            await expect(rows).to_have_count(3)
            await expect(opened.get("only-out")).to_have_attribute("aria-pressed", "true")
            await opened.get("only-out").click()
            await opened.get("chart").locator("[data-pick='3']").click()
            await expect(opened.get("category-filter")).to_have_value("3")

    host.run(run())


def test_every_column_sorts_both_ways(host: PlainHost):
    async def run():
        async with host.open_app(width=1400) as opened:
            first = opened.app.locator("tbody tr").first
            for column in (
                "product",
                "category",
                "store",
                "quantity",
                "reorderPoint",
                "stockValue",
                "status",
            ):
                button = opened.get(f"sort-{column}")
                heading = opened.app.locator("th", has=button)
                if await heading.get_attribute("aria-sort") != "none":
                    await opened.get("sort-product").click()
                await button.click()
                await expect(heading).to_have_attribute("aria-sort", "ascending")
                lowest = await first.get_attribute("data-testid")
                await button.click()
                await expect(heading).to_have_attribute("aria-sort", "descending")
                assert await first.get_attribute("data-testid") != lowest
                await expect(opened.app.locator("[aria-sort$=ending]")).to_have_count(1)

    host.run(run())


def test_full_screen_gives_the_room_to_the_table(host: PlainHost):
    async def run():
        async with host.open_app() as opened:
            region = opened.app.get_by_role("region", name="Inventory")
            before = (await region.bounding_box())["height"]
            await opened.get("fullscreen").click()
            await expect(opened.get("fullscreen")).to_have_attribute("aria-label", "Leave full screen")
            await opened.page.wait_for_function(
                "document.querySelector('iframe').offsetHeight === innerHeight"
            )
            assert (await region.bounding_box())["height"] > before + 100
            await opened.get("fullscreen").click()
            await expect(opened.get("fullscreen")).to_have_attribute("aria-label", "Full screen")
            assert await opened.told("modes") == ["fullscreen", "inline"]

    host.run(run())


def test_it_follows_the_theme_of_the_host(host: PlainHost):
    async def run():
        async with host.open_app() as opened:
            ink = "getComputedStyle(document.body).color"
            light = await opened.app.evaluate(ink)
            assert await opened.app.evaluate(
                "getComputedStyle(document.documentElement).backgroundColor"
            ) == ("rgba(0, 0, 0, 0)")
            await opened.change_context(theme="dark")
            await opened.app.wait_for_function(f"{ink} !== '{light}'")
            variables = {"--color-text-primary": "rgb(1, 2, 3)", "--font-sans": "Georgia"}
            await opened.change_context(styles={"variables": variables})
            await opened.app.wait_for_function(f"{ink} === 'rgb(1, 2, 3)'")
            assert "Georgia" in await opened.app.evaluate("getComputedStyle(document.body).fontFamily")

    host.run(run())


def test_it_opens_with_the_store_of_the_tool_call(host: PlainHost):
    async def run():
        async with host.open_app(storeId=4) as opened:
            await expect(opened.get("store-filter")).to_have_value("4")
            await opened.get("store-filter").select_option("")  # the others come by themselves
            await expect(opened.app.locator("tbody tr")).to_have_count(
                len(opened.service.inventory()), timeout=15_000
            )

    host.run(run())


def test_an_unknown_store_is_said_and_all_stores_are_shown(host: PlainHost):
    async def run():
        async with host.open_app(storeId=99) as opened:
            await expect(opened.get("notice")).to_contain_text("There is no store 99")
            await expect(opened.app.locator("tbody tr")).to_have_count(len(opened.service.inventory()))

    host.run(run())


def test_it_fills_itself_when_it_is_opened_without_a_tool(host: PlainHost):
    async def run():
        async with host.open_app(bare=True) as opened:
            await expect(opened.app.locator("tbody tr")).to_have_count(len(opened.service.inventory()))
            await expect(opened.get("live")).to_have_text("Live")

    host.run(run())


def test_it_can_be_used_with_the_keyboard_alone(host: PlainHost):
    async def run():
        async with host.open_app() as opened:
            press = opened.page.keyboard.press
            await opened.get("search").focus()
            await opened.page.keyboard.type("bananas old")
            for _ in range(40):
                await press("Tab")
                if await opened.app.evaluate("document.activeElement.dataset.testid") == "minus-2-101":
                    break
            await press("Tab")
            await press("Tab")
            await expect(opened.get("plus-2-101")).to_be_focused()
            await press("Enter")
            await press("Space")
            await expect(opened.get("qty-2-101")).to_have_text("6")
            await expect(opened.get("plus-2-101")).to_be_focused()
            await opened.get("search").fill("bananas")
            await opened.get("plus-2-101").focus()
            await press("ArrowDown")
            assert await opened.app.evaluate("document.activeElement.dataset.testid.split('-')[0]") == "plus"
            await press("ArrowUp")
            await expect(opened.get("plus-2-101")).to_be_focused()

    host.run(run())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(host: PlainHost, theme):
    async def run():
        # axe takes a page without a ground for white
        ground = {"--color-background-primary": GROUNDS[theme]}
        async with host.open_app(theme=theme, variables=ground) as opened:
            await opened.get("select-2-101").check()
            await opened.get("minus-1-303").click()
            await expect(opened.get("notice")).to_be_visible()
            for width in (400, 900, 1400):
                await opened.page.set_viewport_size({"width": width, "height": 900})
                await opened.app.wait_for_function(f"innerWidth === {width}")
                assert await opened.violations() == []
            await opened.get("qty-2-101").click()
            assert await opened.violations() == []

    host.run(run())


def test_it_fits_any_width_and_stays_a_reasonable_height(host: PlainHost):
    async def run():
        async with host.open_app() as opened:
            region = await opened.app.get_by_role("region", name="Inventory").element_handle()
            for width in (320, 400, 700, 900, 1400):
                await opened.page.set_viewport_size({"width": width, "height": 900})
                await opened.app.wait_for_function(f"innerWidth === {width}")
                assert await opened.app.evaluate("document.documentElement.scrollWidth") <= width
                assert await region.evaluate("region => region.scrollWidth - region.clientWidth") <= 0
                # as high as the page is, and not more than a notebook has room for
                await opened.app.wait_for_function(
                    "Math.abs(innerHeight - document.querySelector('main').offsetHeight) <= 1"
                )
                assert 560 <= await opened.app.evaluate("innerHeight") <= 800

    host.run(run())
