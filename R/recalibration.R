# Calibration in the large and the calibration slope: logistic regression of an event on the logit
# of its predicted probability. Cox (1958).

recalibration_opinions <- function(event, weights, conf_level) {
  logit <- clipped_logit(event$score)
  happened <- as.numeric(event$happened)
  clipped <- clipped_rows(event$score)
  row <- function(metric, fit, reason) {
    fit <- if (is.na(reason)) fit() else list(estimate = NA_real_, std_error = NA_real_)
    delta_opinion(
      metric, event$estimator, fit$estimate, fit$std_error, "identity", conf_level, event$class,
      join_reasons(reason, if (is.na(fit$estimate) && is.na(reason)) no_information, clipped),
      method = if (all(weights == weights[[1]])) "Wald" else "Wald (sandwich)"
    )
  }
  absent <- absent_event(event)
  rbind(
    row(
      "calibration_intercept",
      function() logistic_fit(cbind(0 * logit + 1), happened, weights, offset = logit), absent
    ),
    row(
      "calibration_slope", function() slope_fit(logit, happened, weights),
      if (is.na(absent)) no_slope(logit, event$happened) else absent
    )
  )
}

least_probability <- .Machine$double.eps

clipped_logit <- function(score) {
  stats::qlogis(pmin(pmax(score, least_probability), 1 - least_probability))
}

clipped_rows <- function(score) {
  clipped <- sum(score < least_probability | score > 1 - least_probability)
  if (clipped == 0) {
    return(NA_character_)
  }
  paste0(count_of(clipped, "row"), " of probability 0 or 1, clipped at 2^-52")
}

absent_event <- function(event) {
  if (!any(event$happened)) {
    return(event$absent[[1]])
  }
  if (all(event$happened)) event$absent[[2]] else NA_character_
}

no_information <- "no estimate: the fit is perfect to within rounding"

# Where a threshold divides the events from the rest, the likelihood grows with the slope for ever.
no_slope <- function(logit, happened) {
  of_events <- range(logit[happened])
  of_rest <- range(logit[!happened])
  if (diff(range(logit)) == 0) {
    return("all scores are equal")
  }
  if (of_events[[1]] >= of_rest[[2]] || of_rest[[1]] >= of_events[[2]]) {
    return("separation: a threshold divides the classes, so that no finite slope fits best")
  }
  NA_character_
}

# On the scale of z-scores the two coefficients are of one size.
slope_fit <- function(logit, happened, weights) {
  spread <- stats::sd(logit)
  fit <- logistic_fit(cbind(1, (logit - mean(logit)) / spread), happened, weights)
  lapply(fit, `/`, spread)
}

# The last coefficient of a logistic regression.
logistic_fit <- function(x, y, weights, offset = 0) {
  weights <- weights / mean(weights)
  at <- function(beta) {
    predictor <- drop(x %*% beta) + offset
    fitted <- stats::plogis(predictor)
    list(
      misfit = -sum(weights * stats::plogis((2 * y - 1) * predictor, log.p = TRUE)),
      residual = y - fitted, score = crossprod(x, weights * (y - fitted)),
      information = crossprod(x, weights * fitted * (1 - fitted) * x)
    )
  }
  beta <- newton(at, numeric(ncol(x)))
  end <- at(beta)
  # Nothing but rounding would decide.
  if (is_singular(end$information) || end$information[1, 1] < 1e-12 * length(y)) {
    return(list(estimate = NA_real_, std_error = NA_real_))
  }
  inverse <- solve(end$information)
  last <- length(beta)
  std_error <- if (all(weights == weights[[1]])) {
    sqrt(inverse[last, last])
  } else {
    # White (1982): the influence of a row on the coefficient.
    influence_error(sum(weights) * drop(x %*% inverse[, last]) * end$residual, weights)
  }
  list(estimate = without_dust(beta[[last]]), std_error = std_error)
}

# Newton's method, with steps halved until the fit is better. glm() does not halve them, and warns
# where a fitted probability is 0 or 1.
newton <- function(at, beta) {
  for (iteration in seq_len(200)) {
    here <- at(beta)
    if (is_singular(here$information)) break
    step <- drop(solve(here$information, here$score))
    while (at(beta + step)$misfit > here$misfit && max(abs(step)) > 1e-10) step <- step / 2
    beta <- beta + step
    if (max(abs(step)) <= 1e-10 * max(1, abs(beta))) break
  }
  beta
}

is_singular <- function(information) rcond(information) < .Machine$double.eps
