matches_in <- function(text, pattern) {
  unlist(regmatches(text, gregexpr(pattern, text, perl = TRUE)))
}

dois_of <- function(works) {
  dois <- vapply(unclass(works), function(work) work$doi %||% "", "")
  stats::setNames(dois, names(works))
}

cited_by_registry <- function() {
  matches_in(metrics()$source, "(?<=<doi:).*?(?=>($|[;, ]))")
}

cited_by_help <- function() {
  folder <- test_path("..", "..", "man")
  skip_if_not(dir.exists(folder), "the sources of the help")
  text <- unlist(lapply(dir(folder, "[.]Rd$", full.names = TRUE), readLines, encoding = "UTF-8"))
  # In Rd, a percent sign is a comment.
  gsub("\\%", "%", matches_in(text, "(?<=\\\\doi\\{).*?(?=\\})"), fixed = TRUE)
}

cited_by_methods_text <- function() {
  phrases <- c(
    count_phrases, definitions, interval_phrases, difference_phrases, interval_sources,
    homogeneity_phrases, test_phrases
  )
  names(references_in(phrases))
}

test_that("every work that the registry cites is in the literature, under its DOI", {
  cited <- cited_by_registry()
  expect_gt(length(cited), 40)
  expect_identical(setdiff(cited, dois_of(literature())), character())
})

test_that("so is every work that the help cites, and no work is there for nothing", {
  works <- literature()
  dois <- dois_of(works)
  help <- cited_by_help()
  expect_gt(length(help), 60)
  expect_identical(setdiff(help, dois), character())
  without_doi <- c("holm1979", "kish1965", "korn1998", "vanrijsbergen1979")
  expect_setequal(names(dois)[dois == ""], without_doi)
  cited <- c(
    names(dois)[dois %in% c(help, cited_by_registry())], cited_by_methods_text(), without_doi
  )
  # caret is cited beside its version.
  expect_identical(setdiff(names(works), cited), "kuhn2008")
})

test_that("a work is a BibTeX entry with what a reader needs to find it", {
  works <- literature()
  expect_false(anyDuplicated(names(works)) > 0)
  expect_false(is.unsorted(names(works)))
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

test_that("no two works are one", {
  works <- unclass(literature())
  dois <- dois_of(literature())
  expect_false(anyDuplicated(dois[dois != ""]) > 0)
  expect_false(anyDuplicated(tolower(vapply(works, `[[`, "", "title"))) > 0)
})

test_that("citations in a text become names and years", {
  text <- "DeLong's interval [@delong1988] and others [@hand2001; @newcombe1998a]."
  works <- references_in(text)
  expect_identical(names(works), c("delong1988", "hand2001", "newcombe1998a"))
  expect_identical(
    with_citations(text, works),
    "DeLong's interval (DeLong et al. 1988) and others (Hand and Till 2001; Newcombe 1998)."
  )
})

test_that("what is no work is no citation", {
  text <- "class '[@cat2001]' and '[@delong1988, x]'"
  expect_length(references_in(text), 0)
  expect_identical(with_citations(text, references_in(text)), text)
})

test_that("a reference is one line with its DOI once", {
  lines <- reference_lines(literature())
  expect_no_match(lines, "\n", fixed = TRUE)
  expect_no_match(lines, "https", fixed = TRUE)
  expect_match(
    lines[names(literature()) == "hand2001"],
    "^Hand DJ, Till RJ [(]2001[)].*Machine Learning.*45.*171-186[.] doi:10.1023/A:1010920819831[.]$"
  )
})
