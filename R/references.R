# The literature that the registry, the help pages and the methods text cite, in one place.

# Every work as utils::bibentry(), named by its key; the author of a work is "Family, Given".
literature <- function() {
  works <- jsonlite::read_json(system.file("references.json", package = "rside"))
  entries <- lapply(works, function(work) {
    work$author <- do.call(c, lapply(work$author, person_of))
    names(work)[names(work) == "type"] <- "bibtype"
    do.call(utils::bibentry, work)
  })
  stats::setNames(do.call(c, entries), vapply(works, `[[`, "", "key"))
}

person_of <- function(name) {
  parts <- strsplit(name, ", ", fixed = TRUE)[[1]]
  utils::person(strsplit(parts[[2]], " ", fixed = TRUE)[[1]], parts[[1]])
}

# --- citations in a text ------------------------------------------------------

# A citation is "[@delong1988; @hand2001]", as in R Markdown. What is no work, such as the name of a
# class, is none.
citation_pattern <- function(works) {
  key <- paste0("@(", paste(names(works), collapse = "|"), ")")
  paste0("\\[", key, "(; ", key, ")*\\]")
}

# The works that a text cites, in its order.
references_in <- function(text) {
  works <- literature()
  works[unique(unlist(lapply(matches_of(text, citation_pattern(works)), keys_of)))]
}

matches_of <- function(text, pattern) unlist(regmatches(text, gregexpr(pattern, text)))

keys_of <- function(mark) matches_of(mark, "[a-z]+[0-9]{4}[a-z]?")

# "(DeLong et al. 1988; Hand and Till 2001)" in the place of every citation.
with_citations <- function(text, references) {
  if (length(references) == 0) {
    return(text)
  }
  places <- gregexpr(citation_pattern(references), text)
  regmatches(text, places) <- lapply(regmatches(text, places), function(marks) {
    vapply(marks, function(mark) {
      utils::citeNatbib(keys_of(mark), references, longnamesfirst = FALSE)
    }, "")
  })
  text
}

# Each work as one text without line breaks; the DOI once, not as a link as well.
reference_lines <- function(references) {
  text <- gsub("[[:space:]]+", " ", format(references, style = "text"))
  unname(gsub(" <https://doi[^ ]*>", "", text))
}
