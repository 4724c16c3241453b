/** The Retry-After header. RFC 9110 section 10.2.3 */

/**
 * The wait in whole seconds, rounded up, at least one: `delay-seconds` without leading zeros.
 * ethers 6 takes the number for milliseconds, so its callers set `FetchRequest.retryFunc` (README.md, "Open the RPC to others").
 */
export function retryAfter(waitMs: number): string {
  return String(Math.max(1, Math.ceil(waitMs / 1000)))
}
