#' Slices: every number by group
#'
#' Computes what [validate()] reports for every slice of a table, that is for
#' every level of a group column, finds the worst slice of each metric, and
#' tests whether all slices share one value.
#'
#' Classes, their order, the positive class and the threshold stay those of the
#' whole table. A class that does not occur in a slice makes a number undefined
#' there, and `reason` says so. The rows in which a group is missing or empty
#' are a slice of their own; in a CSV, the text `NA` is a text (write an empty
#' field for what is missing).
#'
#' The worst of several slices looks worse than it is, as it was chosen for it:
#' read `worst` together with `homogeneity`.
#'
#' @inheritParams confusion
#' @param by The group columns, as text: any columns but `id`, `true_label`,
#'   `pred_label`, `weight` and the `pred_prob_` ones. In a list, an element
#'   that names several columns crosses them:
#'   `by = list("sex", "site", c("sex", "site"))`.
#' @param minimum Slices of fewer rows are computed and shown, but neither
#'   ranked nor tested: they are in `small`.
#' @param metrics The metrics to compute, by their names in [metrics()]; `NULL`
#'   computes all.
#' @return An object of class `rside_slices`: a list with
#'   * `values`: a data frame with one row per number and slice: `group` (the
#'     column, or `a:b` where columns `a` and `b` are crossed), `level` (`NA`
#'     where the group is missing; of crossed columns, each level in quotes or
#'     the word `missing`), `n` (rows), then `metric`, `estimator`, `class`,
#'     `estimate`, `std_error`, `lower`, `upper`, `method`, `reason` as in
#'     [validate()];
#'   * `overall`: the same numbers of the whole table;
#'   * `worst`: per group and number the slice with the worst estimate, by the
#'     direction in [metrics()]: `level`, `n`, `estimate`, `lower`, `upper`,
#'     `overall` (of the whole table) and `difference` (the slice less the
#'     whole);
#'   * `homogeneity`: per group and number a test that all slices share one
#'     value: `slices` (how many were compared), `statistic`, `df`, `p_value`,
#'     `p_adjusted` (Holm's, over the numbers of a group), `method`, `reason`;
#'   * `small`: `group`, `level` and `n` of the slices below `minimum`;
#'   * `warning`: the slices whose intervals failed in simulated tables with as
#'     few rows of a class, with the figure; empty where there are none;
#'   * `weighted`: whether rows count by their `weight`;
#'   * `by`, `n`, `classes`, `positive`, `minimum`, `conf_level`.
#'
#'   `as.data.frame()` gives `values`.
#' @section Tests of homogeneity:
#'   Of a proportion (an exact interval): Pearson's chi-square test of the
#'   counts, without continuity correction; with case weights it takes the
#'   effective counts of Rao and Scott. F1 is tested by TP / (TP + FP + FN), of
#'   which it is a function. Of any other number: Cochran's Q, from estimates and
#'   standard errors, on the logit scale where the number lies in \[0, 1\], on
#'   Fisher's z scale in \[-1, 1\], on the log scale from 0 upwards. Both have
#'   one degree of freedom less than there are slices. A slice that is small, or
#'   whose number has no standard error, is left out, and `reason` names it. What
#'   is neither better nor worse when greater has no worst slice and no test.
#' @inheritSection as_predictions Errors
#' @inheritSection confusion Case weights
#' @references
#' Pearson (1900) \doi{10.1080/14786440009463897}; Cochran (1954)
#' \doi{10.2307/3001666}; Rao and Scott (1992) \doi{10.2307/2532311}; Holm
#' (1979), Scandinavian Journal of Statistics 6, 65-70.
#' @seealso [validate()] for the numbers.
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' table <- as.data.frame(read_predictions(path))
#' table$site <- rep(c("A", "B", "C", "D"), 50)
#' found <- slices(table, by = "site", metrics = c("accuracy", "roc_auc"))
#' found
#' found$homogeneity
#' autoplot(found, metric = "roc_auc")
#' @export
slices <- function(predictions, by, positive = NULL, conf_level = 0.95, minimum = 30,
                   metrics = NULL) {
  check_conf_level(conf_level)
  check_minimum(minimum)
  predictions <- predictions_of(predictions, positive)
  groups <- check_groups(by, predictions)
  numbers <- asked_numbers(metrics, predictions, conf_level)
  overall <- numbers(predictions)
  values <- do.call(rbind, lapply(names(groups), function(group) {
    slice_values(group, slice_levels(predictions, groups[[group]]), predictions, numbers)
  }))
  registry <- metrics()
  known <- facts(predictions)
  each <- values[!duplicated(values[c("group", "level")]), c("group", "level", "n")]
  small <- each[each$n < minimum, ]
  rownames(values) <- rownames(small) <- NULL
  structure(
    list(
      values = values, overall = overall, worst = worst_slices(values, overall, minimum, registry),
      homogeneity = homogeneity_tests(values, overall, groups, minimum, conf_level, registry),
      small = small, warning = slice_warning(values, predictions, groups), by = groups,
      weighted = is_weighted(predictions), n = nrow(predictions), classes = known$classes,
      positive = known$positive, minimum = minimum,
      conf_level = conf_level
    ),
    class = c("rside_slices", "rside_result")
  )
}

check_minimum <- function(minimum) {
  if (!is_number(minimum) || minimum < 1) {
    refuse_argument("`minimum` must be one number of rows, 1 or greater.")
  }
}

# --- the groups ---------------------------------------------------------------

# The columns of each group, named as the group.
check_groups <- function(by, predictions) {
  groups <- if (is.list(by)) by else as.list(by)
  if (length(groups) == 0 || !all(vapply(groups, is_names, NA))) {
    refuse_argument(
      "`by` must name group columns, as text.",
      fix = "A list crosses columns: list(\"sex\", c(\"sex\", \"site\"))."
    )
  }
  there <- group_columns(predictions)
  unknown <- setdiff(unlist(groups), there)
  if (length(unknown) > 0) {
    refuse_argument(
      "`by` must name group columns of the table.",
      paste("Not a group column:", list_values(unknown)),
      if (length(there) == 0) {
        "The table has none: add one, with a group for each row."
      } else {
        paste("The table has the group", list_names("column", there))
      }
    )
  }
  names(groups) <- vapply(groups, paste, "", collapse = ":")
  repeated <- names(groups)[duplicated(names(groups))]
  if (length(repeated) > 0) {
    refuse_argument(
      "`by` must name each group once.", paste("More than once:", list_values(repeated))
    )
  }
  groups
}

is_names <- function(x) is.character(x) && length(x) > 0 && !anyNA(x) && !anyDuplicated(x)

group_columns <- function(predictions) {
  ours <- c(
    "id", label_column, "pred_label", "weight",
    paste0(probability_prefix, facts(predictions)$classes)
  )
  setdiff(names(predictions), ours)
}

# The level of each row: NA where it is missing. Of crossed columns one text, in which quotes keep
# a level apart from the word and from its neighbour.
slice_levels <- function(predictions, columns) {
  levels <- lapply(columns, function(column) {
    text <- predictions[[column]]
    ifelse(is_missing(text), NA_character_, text)
  })
  if (length(columns) == 1) {
    return(levels[[1]])
  }
  escaped <- lapply(levels, function(text) level_text(gsub("(['\\\\])", "\\\\\\1", text)))
  do.call(paste, c(escaped, sep = ":"))
}

level_text <- function(level) ifelse(is.na(level), "missing", quoted(level))

# --- the numbers --------------------------------------------------------------

# What validate() reports, in the functions that compute it together.
number_families <- function(positive) {
  counts <- function(predictions, conf_level) {
    matrix <- confusion_of(predictions, conf_level)
    if (is.null(positive)) rbind(matrix$overall, matrix$by_class) else matrix$overall
  }
  if (is.null(positive)) {
    aucs <- function(predictions, conf_level) multiclass_auc_of(predictions, conf_level)$values
    return(list(counts, aucs, probability_opinions))
  }
  list(counts, roc_opinion, average_precision_opinion, probability_opinions)
}

roc_opinion <- function(predictions, conf_level) fitted_auc(roc_of(predictions, conf_level))

# A function that gives the numbers asked for, in the order of a report, and computes no others.
asked_numbers <- function(metrics, predictions, conf_level) {
  families <- number_families(facts(predictions)$positive)
  if (!is.null(metrics)) {
    # One row gives the names: they do not depend on the rows.
    names <- lapply(families, function(family) unique(family(predictions[1, ], conf_level)$metric))
    check_metrics(metrics, unlist(names))
    families <- families[vapply(names, function(names) any(names %in% metrics), NA)]
  }
  function(predictions) {
    rows <- do.call(rbind, lapply(families, function(family) family(predictions, conf_level)))
    if (!is.null(metrics)) rows <- rows[rows$metric %in% metrics, ]
    of_class <- !is.na(rows$class)
    rows <- rbind(rows[!of_class, ], by_class_order(rows[of_class, ], facts(predictions)$classes))
    rownames(rows) <- NULL
    rows
  }
}

check_metrics <- function(metrics, there) {
  if (!is_names(metrics) || !all(metrics %in% there)) {
    refuse_argument(
      "`metrics` must be names of numbers of the report, each once.",
      if (is.character(metrics)) paste("Asked for:", list_values(metrics)),
      paste("There are", paste(quoted(there), collapse = ", "))
    )
  }
}

# Levels in code point order: that of the rows and that of the locale do not matter.
slice_values <- function(group, level, predictions, numbers) {
  levels <- sort(unique(level), method = "radix", na.last = TRUE)
  members <- split(seq_along(level), match(level, levels))
  slices <- Map(function(level, rows) {
    found <- numbers(predictions[rows, ])
    data.frame(group = group, level = level, n = length(rows), found, stringsAsFactors = FALSE)
  }, levels, members)
  do.call(rbind, unname(slices))
}

# Every slice has the numbers of the whole table, in their order.
number_of <- function(values, overall) rep(seq_len(nrow(overall)), length.out = nrow(values))

# Greater is worse; NA of what is neither better nor worse.
badness <- function(values, registry) {
  direction <- registry$direction[match(values$metric, registry$name)]
  values$estimate * unname(c(higher = -1, lower = 1)[direction])
}

worst_slices <- function(values, overall, minimum, registry) {
  number <- number_of(values, overall)
  worse <- badness(values, registry)
  group <- match(values$group, unique(values$group))
  ranked <- order(group, number, -worse)
  ranked <- ranked[!is.na(worse[ranked]) & values$n[ranked] >= minimum]
  first <- ranked[!duplicated(data.frame(group, number)[ranked, ])]
  worst <- values[first, c(
    "group", "metric", "estimator", "class", "level", "n", "estimate", "lower", "upper"
  )]
  worst$overall <- overall$estimate[number[first]]
  worst$difference <- worst$estimate - worst$overall
  rownames(worst) <- NULL
  worst
}
