dois_in <- function(text, before, after) {
  found <- regmatches(text, gregexpr(paste0(before, "(.*?)", after), text, perl = TRUE))
  sub(paste0(".*?", before, "(.*?)", after), "\\1", unlist(found), perl = TRUE)
}

test_that("every work that the registry cites is in the literature, under its DOI", {
  cited <- dois_in(metrics()$source, "<doi:", ">(?=$|[;, ])")
  expect_gt(length(cited), 20)
  known <- vapply(unclass(literature()), function(work) work$doi %||% "", "")
  expect_identical(setdiff(cited, known), character())
})

test_that("a work is a BibTeX entry with what a reader needs to find it", {
  works <- literature()
  expect_false(anyDuplicated(names(works)) > 0)
  for (key in names(works)) {
    work <- unclass(works[key])[[1]]
    expect_false(is.null(work$title) || is.null(work$year) || is.null(work$author), info = key)
    # The key is the first author and the year, a letter for the second of one year.
    family <- iconv(work$author[[1]]$family, "UTF-8", "ASCII//TRANSLIT")
    family <- tolower(gsub("[^A-Za-z]", "", family))
    expect_match(key, paste0("^", family, work$year, "[a-z]?$"))
    expect_match(toBibtex(works[key])[[1]], paste0("{", key, ","), fixed = TRUE)
  }
})

test_that("citations in a text become names and years", {
  text <- paste0("DeLong's", cite("delong1988"), " and others", cite("hand2001", "zou2009"))
  keys <- cited_keys(text)
  expect_identical(keys, c("delong1988", "hand2001", "zou2009"))
  said <- with_citations(text, references_of(keys))
  expect_match(said, "DeLong et al. 1988", fixed = TRUE)
  expect_match(said, "Hand and Till 2001", fixed = TRUE)
  expect_no_match(said, "@", fixed = TRUE)
  expect_identical(cite(), "")
})
