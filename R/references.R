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

# In the order of the keys, each work once.
references_of <- function(keys) literature()[unique(as.character(keys))]

# "[@delong1988; @hand2001]", as R Markdown writes a citation, stands for works in a text.
citation_mark <- "\\[@[a-z]+[0-9]{4}(; @[a-z]+[0-9]{4})*\\]"

cite <- function(...) {
  keys <- c(...)
  if (length(keys) > 0) paste0(" [", paste0("@", keys, collapse = "; "), "]") else ""
}

cited_keys <- function(text) {
  marks <- unlist(regmatches(text, gregexpr(citation_mark, text)))
  unique(unlist(regmatches(marks, gregexpr("[a-z]+[0-9]{4}", marks))))
}

# "(DeLong et al. 1988; Hand and Till 2001)" in the place of every mark.
with_citations <- function(text, references) {
  places <- gregexpr(citation_mark, text)
  regmatches(text, places) <- lapply(regmatches(text, places), function(marks) {
    vapply(marks, function(mark) {
      utils::citeNatbib(cited_keys(mark), references, longnamesfirst = FALSE)
    }, "")
  })
  text
}

# Each work as one text without line breaks; the DOI once, not as a link as well.
reference_lines <- function(references) {
  text <- gsub("[[:space:]]+", " ", format(references, style = "text"))
  unname(gsub(" <https://doi[^ ]*>", "", text))
}
