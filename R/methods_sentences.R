# The sentences of a methods text. Each is made of what a result holds, or is NULL.

# `counts` are the rows of each class in the truth, where they are known.
data_sentence <- function(n, classes, positive, counts = NULL) {
  few <- length(classes) <= rows_shown
  of_classes <- if (!few) {
    paste("in", length(classes), "classes")
  } else if (is.null(counts)) {
    paste("in the classes", list_words(class_words(classes)))
  } else {
    paste0("(", list_words(paste(format_count(counts), "of class", class_words(classes))), ")")
  }
  paste0(
    "The predictions for ", count_of(n, "row"), " ", of_classes, " were evaluated",
    if (!is.null(positive)) paste0("; the positive class is ", class_words(positive)), "."
  )
}

# What a report notes, but for what other sentences say.
note_sentences <- function(notes) {
  said <- notes$text[!notes$code %in% c(
    "classes_assumed", "positive_assumed", "threshold_assumed", "rows_dropped", "weights_equal",
    "auto_direction", "low_coverage"
  )]
  sub("(Kish)", "[@kish1965]", said, fixed = TRUE)
}

coverage_sentence <- function(notes) notes$text[notes$code == "low_coverage"]

# Enough to draw the same samples again.
bootstrap_sentence <- function(x, rows) {
  if (!is.null(x$replicates) && any(startsWith(rows$method, "bootstrap"), na.rm = TRUE)) {
    paste0(
      "The bootstrap drew ", format_count(x$replicates), " samples (seed ",
      format(x$seed, scientific = FALSE), ")."
    )
  }
}

# As far as a result shows it: by a note, by tests that are not defined, or by an AUC that pROC did
# not compute.
weight_sentences <- function(x) {
  noted <- has_note(x, "weights_used")
  auc <- x$auc %||% x$estimate
  is_weighted <- noted || any(x$tests$reason %in% no_weights) ||
    (!is.null(auc) && !is.na(auc) && is.na(x$auto))
  if (!is_weighted) {
    return(NULL)
  }
  c(
    if (!noted) "Rows count by their case weights.",
    paste(
      "Intervals take the rows as the sample: those of proportions rest on effective numbers of",
      "trials [@korn1998], others on what each row adds to the number [@hampel1974]."
    )
  )
}

has_note <- function(x, code) code %in% x$notes$code

# --- how decisions were made -------------------------------------------------------

# A note says so where the table's decisions are others.
decision_sentence <- function(x) {
  if (has_note(x, "pred_label_differs")) {
    return(NULL)
  }
  if (is.null(x$positive)) {
    return(paste(
      "The decision is the class of the greatest probability, the first in class order where",
      "several are."
    ))
  }
  paste0(
    "A row was called positive where the probability of ", class_words(x$positive), " was at ",
    "least ", format_number(x$threshold),
    if (has_note(x, "threshold_assumed")) ", the default, as no threshold was stated", "."
  )
}

rule_words <- function(x) {
  vapply(seq_len(nrow(x$points)), function(i) {
    rule <- x$points$rule[[i]]
    target <- format_number(x$points$target[[i]])
    switch(sub(" .*", "", rule),
      youden = "that of the greatest Youden index [@youden1950]",
      closest_topleft = paste(
        "that with the least distance of the ROC curve to (0, 1) [@perkins2006]"
      ),
      sensitivity = paste("the greatest with a sensitivity of at least", target),
      specificity = paste("the least with a specificity of at least", target),
      cost = paste0(
        "that of the least expected cost, where a missed positive costs ", target, " times a ",
        "false alarm and the prevalence is ", signif(x$prevalence, 3), " [@metz1978; @zweig1993]"
      ),
      threshold = paste(target, "as stated")
    )
  }, "")
}

# --- definitions -------------------------------------------------------------------

# What follows from the counts in one sentence, then what goes by several definitions.
definition_sentences <- function(opinions) {
  counted <- count_phrases[names(count_phrases) %in% opinions$metric]
  keys <- c(opinions$metric, paste(opinions$metric, opinions$estimator))
  is_average <- opinions$metric %in% c("sensitivity", "precision", "f1") &
    opinions$estimator %in% c("macro", "macro_weighted", "micro")
  c(
    if (length(counted) > 0) {
      paste0("From the confusion matrix follow ", list_words(counted), ".")
    },
    if (any(is_average)) averaged,
    unname(definitions[names(definitions) %in% keys])
  )
}

# --- intervals ------------------------------------------------------------------

interval_sentence <- function(opinions, conf_level, phrases = interval_phrases,
                              subject = "confidence intervals") {
  with <- opinions[!is.na(opinions$method), ]
  if (nrow(with) == 0) {
    return(NULL)
  }
  paste0(
    "The ", format_percent(conf_level), " ", subject, " are ", by_method(with, phrases), "."
  )
}

# "exact for accuracy and sensitivity; DeLong's for the area under the ROC curve".
by_method <- function(rows, phrases) {
  rows <- unique(rows[c("metric", "estimator", "method")])
  source <- interval_sources[paste(rows$metric, rows$method)]
  # The pooled F1 is the accuracy.
  source[is.na(source) | rows$estimator == "micro"] <- ""
  number <- paste(rows$metric, rows$estimator)
  in_part <- ifelse(number %in% number[duplicated(number)], " (in part)", "")
  words <- paste0(metric_words(rows$metric), source, in_part)
  parts <- vapply(unique(rows$method), function(method) {
    of_method <- rows$method == method
    numbers <- by_estimator(words[of_method], rows$estimator[of_method])
    paste(phrases[[method]], "for", list_words(numbers))
  }, "")
  paste(parts, collapse = "; ")
}

# Numbers of one estimator together: "the one-vs-rest sensitivity and F1 score".
by_estimator <- function(words, estimator) {
  estimator[!estimator %in% names(estimator_words)] <- ""
  unlist(lapply(unique(estimator), function(one) {
    of_one <- unique(words[estimator == one])
    if (one == "") {
      return(with_article(of_one))
    }
    paste("the", estimator_words[[one]], list_words(of_one))
  }))
}

# --- what is undefined --------------------------------------------------------------

# Numbers that share a reason share a place.
remark_sentences <- function(opinions) {
  if (is.null(opinions$class)) opinions$class <- NA_character_
  is_undefined <- is.na(opinions$estimate)
  is_bare <- !is_undefined & is.na(opinions$lower)
  has_remark <- !is_undefined & !is_bare & !is.na(opinions$reason)
  c(
    if (any(is_undefined)) {
      paste0("Undefined, and reported as such: ", by_reason(opinions[is_undefined, ]), ".")
    },
    if (any(is_bare)) paste0("Without an interval: ", by_reason(opinions[is_bare, ]), "."),
    if (any(has_remark)) paste0("To be noted: ", by_reason(opinions[has_remark, ]), ".")
  )
}

by_reason <- function(rows) {
  reason <- ifelse(is.na(rows$reason), "", sub("^no interval: ", "", rows$reason))
  parts <- vapply(unique(reason), function(one) {
    of_one <- rows[reason == one, ]
    of_class <- ifelse(is.na(of_one$class), "", paste(" of class", class_words(of_one$class)))
    numbers <- by_estimator(paste0(metric_words(of_one$metric), of_class), of_one$estimator)
    paste0(list_words(numbers), if (nzchar(one)) paste0(" (", one, ")"))
  }, "")
  paste(parts, collapse = "; ")
}

# Of a curve, by the fixed value.
band_remark <- function(values, fixed) {
  odd <- values[!is.na(values$reason), ]
  parts <- vapply(unique(odd$reason), function(reason) {
    at <- format_number(odd[[fixed]][odd$reason == reason])
    paste0(fixed, " ", shorten_list(at), " (", reason, ")")
  }, "")
  if (length(parts) > 0) paste0("To be noted: ", paste(parts, collapse = "; "), ".")
}

# --- tests ----------------------------------------------------------------------------

test_sentences <- function(tests) {
  made <- !is.na(tests$p_value)
  words <- test_phrases[tests$test]
  reason <- sub("^no test: ", "", tests$reason)
  all_of <- function(which) paste0(paste(words[which], collapse = "; "), ".")
  c(
    if (any(made)) paste("Tests:", all_of(made)),
    vapply(unique(reason[!made]), function(one) {
      paste0("Not tested, ", one, ": ", all_of(!made & reason %in% one))
    }, "", USE.NAMES = FALSE)
  )
}

# --- where it comes from ----------------------------------------------------------------

software_sentence <- function(versions) {
  of <- function(package) paste(package, versions[[package]])
  paste0(
    "Computed with ", of("rside"), " in ", of("R"), ", which builds on ", of("data.table"), ", ",
    of("caret"), " [@kuhn2008] and ", of("pROC"), " [@robin2011]."
  )
}

file_sentence <- function(source) {
  if (!is.null(source$sha256)) {
    paste0("The file ", basename(source$path), " has the SHA-256 digest ", source$sha256, ".")
  }
}
