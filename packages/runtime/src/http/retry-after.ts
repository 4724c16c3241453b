/** The Retry-After header. RFC 9110 section 10.2.3 */

/**
 * Whole seconds, with a leading zero: legal (`delay-seconds = 1*DIGIT`) and read as seconds by viem, browsers and Go,
 * while ethers 6, which takes a number without it for milliseconds and gives up after a dozen tries in as many of
 * them, backs off by its own growing delays.
 */
export function retryAfter(waitMs: number): string {
  return `0${Math.max(1, Math.ceil(waitMs / 1000))}`
}
