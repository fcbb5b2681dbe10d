#' The methods paragraph for a paper
#'
#' Says in plain English what a result of rside holds: how many rows and
#' classes, which class is the positive one, by which definition each number
#' was computed, how its interval, what is undefined and why, and with which
#' versions of R and the packages. The works it cites come with it.
#'
#' Every sentence is made of the result: an interval is named as the result
#' names it in `method`, and what stood in for it, too. The text of [validate()]
#' says most, as its result knows the file, the threshold, the rows left out
#' and the case weights; those of the other functions say what theirs adds.
#'
#' @param x A result of rside, from [validate()], [confusion()],
#'   [roc_curve()], [calibration()] and the others; for the methods, what
#'   `methods_text()` returned.
#' @param keys Whether citations stand as `[@key]`, as R Markdown and Quarto
#'   read them beside the BibTeX, instead of as names and years.
#' @param object As `x`.
#' @param width The width of the text, in characters.
#' @param ... Not used.
#' @return An object of class `rside_methods`: a list of `text`, one paragraph;
#'   `marked`, the same with `[@key]` for every citation; and `references`, a
#'   [utils::bibentry()] of exactly the works cited, in the order of the text.
#'   `as.character()` gives the paragraph, `toBibtex()` the BibTeX entries,
#'   `format()` and `print()` the paragraph and the references, wrapped.
#' @section Errors:
#' What is not a result of rside raises an [rside_error].
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' methods <- methods_text(validate(path))
#' methods
#' toBibtex(methods)
#' as.character(methods_text(auc_ci(path)), keys = TRUE)
#' @export
methods_text <- function(x, ...) UseMethod("methods_text")

#' @export
methods_text.default <- function(x, ...) {
  refuse_argument(
    "methods_text() takes a result of rside.",
    paste0("It is of class ", list_values(class(x)), "."),
    "validate(), confusion(), roc_curve() and the others give results."
  )
}

# One paragraph of the sentences, in their order. A class name may hold a line break.
methods_of <- function(..., of = versions()) {
  sentences <- gsub("\n", "\\n", c(..., software_sentence(of)), fixed = TRUE)
  marked <- paste(sentences, collapse = " ")
  references <- references_in(marked)
  structure(
    list(text = with_citations(marked, references), marked = marked, references = references),
    class = "rside_methods"
  )
}

# --- one method per result --------------------------------------------------------

#' @export
methods_text.rside_validation <- function(x, ...) {
  whole <- is.integer(x$confusion)
  methods_of(
    data_sentence(x$n, x$classes, x$positive, if (whole) colSums(x$confusion)),
    if (has_note(x, "positive_assumed")) "It was not stated: the last class was taken.",
    if (x$dropped > 0) {
      paste(count_of(x$dropped, "row"), "with a missing label or probability left out.")
    },
    file_sentence(x$source),
    decision_sentence(x),
    note_sentences(x$notes),
    weight_sentences(x),
    definition_sentences(x$metrics),
    interval_sentence(x$metrics, x$conf_level),
    coverage_sentence(x$notes),
    remark_sentences(x$metrics),
    of = x$versions
  )
}

#' @export
methods_text.rside_confusion <- function(x, ...) {
  opinions <- if (is.null(x$positive)) rbind(x$overall, x$by_class) else x$overall
  whole <- is.integer(x$table)
  methods_of(
    data_sentence(x$n, rownames(x$table), x$positive, if (whole) colSums(x$table)),
    weight_sentences(x),
    definition_sentences(opinions),
    if (!is.null(x$prevalence)) {
      paste0(
        "Predictive values at a prevalence of ", format_number(x$prevalence), " follow from ",
        "sensitivity and specificity by Bayes' rule."
      )
    },
    interval_sentence(opinions, x$conf_level),
    x$warning,
    remark_sentences(opinions),
    test_sentences(x$tests)
  )
}

#' @export
methods_text.rside_roc <- function(x, ...) curve_methods(x, fitted_auc(x))

#' @export
methods_text.rside_auc <- function(x, ...) {
  curve_methods(x, fitted_auc(c(list(auc = x$estimate), unclass(x))))
}

# Of two classes, whose rows are in `counts`; `...` are sentences of a result's own.
curve_methods <- function(x, opinions, ...) {
  methods_of(
    data_sentence(sum(x$counts), names(x$counts), x$positive, x$counts),
    weight_sentences(x),
    ...,
    definition_sentences(opinions),
    interval_sentence(opinions, x$conf_level),
    bootstrap_sentence(x, opinions),
    x$warning,
    remark_sentences(opinions)
  )
}

#' @export
methods_text.rside_multiclass_auc <- function(x, ...) curve_methods(x, x$values)

#' @export
methods_text.rside_pr <- function(x, ...) {
  curve_methods(x, x$values, paste0(
    "Precision and recall were computed at every observed score [@saito2015]; by guessing, ",
    "precision is the prevalence, ", signif(x$prevalence, 3), "."
  ))
}

#' @export
methods_text.rside_partial_auc <- function(x, ...) {
  curve_methods(x, x$values, paste0(
    "The partial area under the ROC curve [@mcclish1989; @robin2011] is that over a ", x$focus,
    " of ", format_number(x$range[[1]]), " to ", format_number(x$range[[2]]), ", with linear ",
    "interpolation between the points; a greater score always speaks for the positive class."
  ))
}

#' @export
methods_text.rside_roc_band <- function(x, ...) {
  values <- x$values
  methods_of(
    data_sentence(sum(x$counts), names(x$counts), x$positive, x$counts),
    paste0(
      "The ", x$of, " was read off the ROC curve at ", count_of(nrow(values), "value"), " of the ",
      fixed_of(x$of), ", with linear interpolation between the points [@robin2011]."
    ),
    interval_sentence(values, x$conf_level, subject = "pointwise confidence intervals"),
    bootstrap_sentence(x, values),
    band_remark(values, fixed_of(x$of))
  )
}

#' @export
methods_text.rside_calibration <- function(x, ...) {
  methods_of(
    data_sentence(x$n, x$classes, x$positive, x$counts),
    weight_sentences(x),
    if (is.null(x$positive)) {
      paste(
        "Calibration was assessed for each class against the rest, and for the decision",
        "(top-label), whose probability is that of the decided class."
      )
    },
    paste0(
      "Probabilities were divided into ", format_binning(x),
      "; the observed share of each bin has Wilson's interval [@wilson1927]."
    ),
    definition_sentences(x$values),
    interval_sentence(x$values, x$conf_level),
    bootstrap_sentence(x, x$values),
    x$warning,
    remark_sentences(x$values),
    test_sentences(x$tests)
  )
}

#' @export
methods_text.rside_operating_points <- function(x, ...) {
  methods_of(
    data_sentence(sum(x$counts), names(x$counts), x$positive, x$counts),
    paste(
      "A row was called positive where its score was at least the threshold; searched thresholds",
      "are observed scores, of equally good ones the greatest."
    ),
    paste0("Thresholds: ", paste(rule_words(x), collapse = "; "), "."),
    if (!all(is.na(x$points$method))) {
      paste0(
        "The intervals of the thresholds are percentiles of the bootstrap, stratified by the true ",
        "class [@efron1979]."
      )
    },
    definition_sentences(x$values),
    interval_sentence(x$values, x$conf_level),
    if (!is.null(x$optimism)) {
      paste0(
        "They hold for the thresholds as they stand; sensitivity, specificity and Youden's index ",
        "of searched thresholds were also corrected for optimism, by repeating the search in ",
        "bootstrap samples [@efron1983; @harrell1996]."
      )
    },
    bootstrap_sentence(x, x$points),
    x$warning,
    remark_sentences(x$values)
  )
}

#' @export
methods_text.rside_comparison <- function(x, ...) {
  rows <- x$differences
  rows$estimate <- rows$difference
  models <- class_words(x$names)
  methods_of(
    paste0(
      "The predictions of two models, ", models[[1]], " and ", models[[2]], ", were compared, ",
      if (x$paired) "on the same " else "on independent rows: ", format_matched(x), "."
    ),
    if (!is.null(x$positive)) paste0("The positive class is ", class_words(x$positive), "."),
    note_sentences(x$notes),
    weight_sentences(x),
    definition_sentences(rows),
    "Differences are those of the first model less the second.",
    interval_sentence(
      rows, x$conf_level, phrases_with(difference_phrases), "confidence intervals of differences"
    ),
    bootstrap_sentence(x, rows),
    coverage_sentence(x$notes),
    remark_sentences(rows),
    test_sentences(x$tests),
    "No p-value was adjusted for the number of metrics."
  )
}

phrases_with <- function(others) {
  c(interval_phrases[setdiff(names(interval_phrases), names(others))], others)
}

#' @export
methods_text.rside_slices <- function(x, ...) {
  numbers <- x$values
  tests <- x$homogeneity
  undefined <- sum(is.na(numbers$estimate))
  methods_of(
    data_sentence(x$n, x$classes, x$positive),
    if (x$weighted) "Rows counted by their case weights, of which only the ratios matter.",
    paste0(
      "Every number was computed for the whole table and for each level of ",
      list_words(class_words(names(x$by))), "; slices of fewer than ", format_number(x$minimum),
      " rows (", count_of(nrow(x$small), "slice"), ") were neither ranked nor tested."
    ),
    definition_sentences(x$overall),
    interval_sentence(numbers, x$conf_level),
    x$warning,
    if (undefined > 0) {
      paste(count_of(undefined, "number"), "of slices undefined, each with its reason.")
    },
    remark_sentences(x$overall),
    if (any(!is.na(tests$p_value))) {
      paste0(
        "Homogeneity of the slices was tested ",
        by_method(tests[!is.na(tests$p_value), ], homogeneity_phrases),
        "; p-values were adjusted by Holm's method [@holm1979] over the numbers of each ",
        "group column."
      )
    }
  )
}

# --- methods of the text ---------------------------------------------------------------

#' @rdname methods_text
#' @export
as.character.rside_methods <- function(x, keys = FALSE, ...) if (keys) x$marked else x$text

#' @rdname methods_text
#' @importFrom utils toBibtex
#' @export
toBibtex.rside_methods <- function(object, ...) { # nolint: object_name_linter.
  utils::toBibtex(object$references)
}

#' @rdname methods_text
#' @export
format.rside_methods <- function(x, width = 80, ...) {
  c(
    strwrap(x$text, width), "", "References", "",
    strwrap(reference_lines(x$references), width, exdent = 2)
  )
}

#' @export
print.rside_methods <- function(x, ...) print_lines(x)
