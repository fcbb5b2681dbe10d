# An opinion is one number of the report. Its columns, the reasons for an
# undefined number, and the exact interval of a proportion are written here once.

opinion <- function(metric, estimator, estimate, class = NA_character_,
                    lower = NA_real_, upper = NA_real_, reason = NA_character_) {
  undefined <- is.na(estimate)
  data.frame(
    metric = metric, estimator = estimator, class = class,
    estimate = ifelse(undefined, NA_real_, estimate), lower = lower, upper = upper,
    reason = reason,
    stringsAsFactors = FALSE
  )
}

# A proportion with its exact interval; `reason` is given where it is undefined.
proportion_opinion <- function(metric, estimator, estimate, successes, trials, conf_level,
                               class = NA_character_, reason = NA_character_) {
  interval <- clopper_pearson(successes, trials, conf_level)
  opinion(
    metric, estimator, estimate, class, interval$lower, interval$upper,
    reason = if_undefined(estimate, reason)
  )
}

# Clopper and Pearson (1934) <doi:10.1093/biomet/26.4.404>, by quantiles of the beta distribution.
clopper_pearson <- function(successes, trials, conf_level) {
  tail <- (1 - conf_level) / 2
  failures <- trials - successes
  bound <- function(edge, at, probability, a, b) {
    inner <- stats::qbeta(probability, pmax(a, 1), pmax(b, 1))
    ifelse(trials == 0, NA_real_, ifelse(edge, at, inner))
  }
  list(
    lower = bound(successes == 0, 0, tail, successes, failures + 1),
    upper = bound(failures == 0, 1, 1 - tail, successes + 1, failures)
  )
}

check_conf_level <- function(conf_level) {
  if (!is_number(conf_level) || conf_level <= 0 || conf_level >= 1) {
    refuse_argument("`conf_level` must be one number between 0 and 1.")
  }
}

# --- reasons ----------------------------------------------------------------

if_undefined <- function(estimate, reason) ifelse(is.na(estimate), reason, NA_character_)

# Singular and plural of each way in which a class can be absent.
not_in_truth <- c("does not occur in the truth", "do not occur in the truth")
not_predicted <- c("is never predicted", "are never predicted")
in_neither <- c(
  "neither occurs in the truth nor is predicted", "neither occur in the truth nor are predicted"
)

lacks <- function(class, absence) paste0("class '", class, "' ", absence[[1]])

left_out <- function(classes, absence) {
  if (length(classes) == 0) {
    return(NA_character_)
  }
  paste0("left out: ", list_names("class", classes), " ", absence[[min(length(classes), 2)]])
}

only_in_truth <- function(class) paste0("only class '", class, "' occurs in the truth")

only_predicted <- function(class) paste0("only class '", class, "' is predicted")

too_few <- function(group) paste("no interval: fewer than two examples of", group)

no_variance <- "no interval: DeLong's variance is 0"

# --- text -------------------------------------------------------------------

format_estimate <- function(estimate, lower = NA, upper = NA) {
  text <- ifelse(is.na(estimate), "NA", sprintf("%.4f", estimate))
  ifelse(is.na(lower), text, sprintf("%s [%.4f, %.4f]", text, lower, upper))
}

# Lines of a table of opinions, at most 80 columns wide unless a reason is long.
format_opinions <- function(opinions) {
  label <- ifelse(
    is.na(opinions$class), paste0(opinions$metric, " (", opinions$estimator, ")"),
    paste0(opinions$metric, " '", opinions$class, "'")
  )
  label <- gsub("\n", "\\n", label, fixed = TRUE)
  value <- format_estimate(opinions$estimate, opinions$lower, opinions$upper)
  reason <- ifelse(is.na(opinions$reason), "", paste0("\n    ", opinions$reason))
  paste0("  ", formatC(label, width = -34), value, reason)
}

format_percent <- function(share) paste0(format_number(100 * share), "%")

print_lines <- function(x) {
  cat(format(x), sep = "\n")
  invisible(x)
}
