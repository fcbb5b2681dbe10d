# Which rows of two tables belong together, and what must be equal before they are compared.

check_same_task <- function(a, b, models) {
  of_a <- facts(a)
  of_b <- facts(b)
  one_has <- function(only, name) {
    if (length(only) > 0) paste0("Only ", name, " has ", list_names("class", only), ".")
  }
  if (!setequal(of_a$classes, of_b$classes)) {
    refuse_argument(
      "Both models must have the same classes.",
      paste(c(
        one_has(setdiff(of_a$classes, of_b$classes), quoted(models[[1]])),
        one_has(setdiff(of_b$classes, of_a$classes), quoted(models[[2]]))
      ), collapse = " "),
      "Models are compared on the same classes, by the same names."
    )
  }
  if (!identical(of_a$classes, of_b$classes)) {
    refuse_argument(
      "Both models must have the same class order.",
      of_each(models, c(
        shorten_list(quoted(of_a$classes)), shorten_list(quoted(of_b$classes))
      )),
      "Set it with as_predictions(classes = ), or by a sidecar."
    )
  }
  if (!identical(of_a$positive, of_b$positive)) {
    refuse_argument(
      "Both models must have the same positive class.",
      of_each(models, quoted(c(of_a$positive, of_b$positive))),
      "Set it with `positive`."
    )
  }
}

of_each <- function(models, texts) paste0(quoted(models), ": ", texts, collapse = "; ")

# The rows of `b` in the order of `a`.
matched_to <- function(a, b, models) {
  by_id <- "id" %in% names(a)
  if (by_id != "id" %in% names(b)) {
    refuse_argument(
      "Rows are matched by `id`, which both tables must have, or neither.",
      paste0("Only ", quoted(models[[if (by_id) 1 else 2]]), " has ids."),
      "Add the `id` column to the other table. If the rows differ, use `paired = FALSE`."
    )
  }
  if (by_id) {
    check_same_ids(a, b, models)
    b <- b[match(a$id, b$id), ]
  }
  check_same_truth(a, b, models)
  check_same_weights(a, b, models)
  b
}

check_same_ids <- function(a, b, models) {
  found <- c(
    only_in(setdiff(a$id, b$id), models[[1]]), only_in(setdiff(b$id, a$id), models[[2]])
  )
  if (!is.null(found)) {
    refuse_argument(
      "Paired tables must hold the same rows, by `id`.", paste(found, collapse = " "),
      paste(
        "Rows of weight 0 and rows that were dropped do not count.",
        "If the models saw different rows, use `paired = FALSE`."
      )
    )
  }
}

only_in <- function(ids, name) {
  if (length(ids) > 0) {
    paste0(count_of(length(ids), "id"), " only in ", quoted(name), ": ", list_values(ids), ".")
  }
}

check_same_truth <- function(a, b, models) {
  if (nrow(a) != nrow(b)) {
    refuse_argument(
      "Tables without ids are matched by position, and must have as many rows.",
      of_each(models, c(count_of(nrow(a), "row"), count_of(nrow(b), "row"))),
      "Add an `id` column to both. If the models saw different rows, use `paired = FALSE`."
    )
  }
  differs <- which(a$true_label != b$true_label)
  if (length(differs) > 0) {
    refuse_argument(
      "A row must have the same truth in both tables.",
      paste0("`true_label` differs in ", which_rows(a, differs), "."),
      if (!"id" %in% names(a)) {
        "Without ids, rows are matched by position. Add an `id` column to both."
      }
    )
  }
}

# A weight that went through CSV text may differ in its last place.
check_same_weights <- function(a, b, models) {
  of_a <- weights_of(a)
  of_b <- weights_of(b)
  differs <- which(abs(of_a - of_b) > 1e-12 * pmax(of_a, of_b))
  if (length(differs) > 0) {
    refuse_argument(
      "A row must have the same weight in both tables.",
      paste0("`weight` differs in ", which_rows(a, differs), "."),
      "A table without weights holds a weight of 1 in every row."
    )
  }
}

which_rows <- function(predictions, rows) {
  first <- if ("id" %in% names(predictions)) {
    enumerate("id", quoted(predictions$id[rows]))
  } else {
    list_rows(rows)
  }
  paste0(count_of(length(rows), "row"), ": ", first)
}

comparison_notes <- function(a, b, paired, models, differences) {
  of_a <- facts(a)
  of_b <- facts(b)
  has_ids <- "id" %in% names(a) && "id" %in% names(b)
  shared <- if (has_ids && !paired) length(intersect(a$id, b$id)) else 0
  assumed <- c(assumption_notes(a), assumption_notes(b))
  decided <- "pred_label" %in% names(a) || "pred_label" %in% names(b)
  texts <- c(
    assumed[match("positive_assumed", names(assumed), 0)],
    if (paired && !has_ids) {
      c(matched_by_position = paste(
        "Neither table has ids: rows were matched by their position. The truth is the same in",
        "every row."
      ))
    },
    if (shared > 0) {
      c(ids_shared = paste0(
        count_of(shared, "id"), " in both tables: such rows were taken as independent. Use ",
        "`paired = TRUE` for models that judged the same rows."
      ))
    },
    if (!decided && !identical(of_a$threshold, of_b$threshold)) {
      c(thresholds_differ = paste0(
        "The models decide by different thresholds: ",
        of_each(models, format_number(c(of_a$threshold, of_b$threshold))), "."
      ))
    },
    notes_of_both(data_notes(a), data_notes(b), models),
    if (!is.null(of_a$positive)) {
      comparison_coverage(a, b, paired, differences)
    }
  )
  data.frame(code = names(texts) %||% character(), text = unname(texts) %||% character())
}

# Of different rows, the table with fewer of its rarest class.
comparison_coverage <- function(a, b, paired, differences) {
  counts <- list(class_counts_of(a), class_counts_of(b))
  fewest <- counts[[which.min(vapply(counts, min, 0))]]
  differences$estimator <- rep(
    if (paired) "difference" else "unpaired difference", nrow(differences)
  )
  text <- low_coverage(fewest, differences, weighted = is_weighted(a) || is_weighted(b))
  stats::setNames(text, rep("low_coverage", length(text)))
}

# What is true of one model only is said of it by name.
notes_of_both <- function(of_a, of_b, models) {
  of_one <- function(notes, others, model) {
    only <- notes[!notes %in% others]
    stats::setNames(paste0(model, ": ", only, recycle0 = TRUE), names(only))
  }
  c(of_a[of_a %in% of_b], of_one(of_a, of_b, models[[1]]), of_one(of_b, of_a, models[[2]]))
}
