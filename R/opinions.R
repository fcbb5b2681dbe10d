# An opinion is one number of the report, with its interval. Its columns and the reasons for what is
# undefined are written here once.

opinion <- function(metric, estimator, estimate, class = NA_character_, std_error = NA_real_,
                    lower = NA_real_, upper = NA_real_, method = NA_character_,
                    reason = NA_character_) {
  undefined <- is.na(estimate)
  data.frame(
    metric = metric, estimator = estimator, class = class,
    estimate = ifelse(undefined, NA_real_, estimate),
    std_error = ifelse(undefined, NA_real_, std_error), lower = lower, upper = upper,
    method = ifelse(is.na(lower), NA_character_, method), reason = reason,
    stringsAsFactors = FALSE
  )
}

# A proportion with its interval; `reason` is given where it is undefined.
proportion_opinion <- function(metric, estimator, estimate, trials, conf_level, method = "exact",
                               class = NA_character_, reason = NA_character_,
                               std_error = sqrt(estimate * (1 - estimate) / trials)) {
  # Sums of weights may differ by rounding.
  estimate <- pmin(estimate, 1)
  interval <- proportion_interval(method, estimate * trials, trials, conf_level)
  opinion(
    metric, estimator, estimate, class, std_error, interval$lower, interval$upper,
    proportion_methods[[method]],
    reason = if_undefined(estimate, reason)
  )
}

# One number whose interval follows from its standard error. `reason` says why it is undefined, or
# what was left out.
delta_opinion <- function(metric, estimator, estimate, std_error, scale, conf_level,
                          class = NA_character_, reason = NA_character_,
                          method = delta_methods[[scale]]) {
  if (is.na(estimate) || is.na(std_error) || is_zero_error(std_error) ||
        is_at_end(estimate, scale)) {
    without <- if (!is.na(estimate) && !is.na(std_error)) no_variance else NA_character_
    return(opinion(
      metric, estimator, estimate, class, std_error, reason = join_reasons(reason, without)
    ))
  }
  interval <- delta_interval(estimate, std_error, scale, conf_level)
  opinion(
    metric, estimator, estimate, class, std_error, interval$lower, interval$upper, method, reason
  )
}

# --- reasons ----------------------------------------------------------------

if_undefined <- function(estimate, reason) ifelse(is.na(estimate), reason, NA_character_)

# Singular and plural of each way in which a class can be absent.
not_in_truth <- c("does not occur in the truth", "do not occur in the truth")
not_predicted <- c("is never predicted", "are never predicted")
# Of one class against the rest, the rest is empty.
alone_in_truth <- "alone occurs in the truth"
alone_predicted <- "alone is predicted"
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

too_few <- function(group) paste("fewer than two examples of", group)

no_variance <- "no interval: the estimated variance is 0"

no_weights <- "not defined with case weights"

join_reasons <- function(...) {
  said <- c(...)
  said <- said[!is.na(said)]
  if (length(said) == 0) NA_character_ else paste(said, collapse = "; ")
}

# --- text -------------------------------------------------------------------

format_estimate <- function(estimate, lower = NA, upper = NA) {
  text <- ifelse(is.na(estimate), "NA", sprintf("%.4f", estimate))
  ifelse(is.na(lower), text, sprintf("%s [%.4f, %.4f]", text, lower, upper))
}

# Lines of a table of opinions.
format_opinions <- function(opinions) {
  label <- ifelse(
    is.na(opinions$class), paste0(opinions$metric, " (", opinions$estimator, ")"),
    paste0(opinions$metric, " '", opinions$class, "'")
  )
  label <- gsub("\n", "\\n", label, fixed = TRUE)
  value <- format_estimate(opinions$estimate, opinions$lower, opinions$upper)
  paste0(
    "  ", formatC(label, width = -max(34, nchar(label) + 1)), value,
    vapply(opinions$reason, format_reason, "", USE.NAMES = FALSE)
  )
}

format_reason <- function(reason) {
  if (is.na(reason)) {
    return("")
  }
  paste0("\n", strwrap(reason, 79, indent = 4, exdent = 6), collapse = "")
}

format_percent <- function(share) paste0(format_number(100 * share), "%")

print_lines <- function(x) {
  cat(format(x), sep = "\n")
  invisible(x)
}
