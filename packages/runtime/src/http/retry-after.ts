/** Returns seconds (RFC 9110 section 10.2.3); ethers 6 takes them for milliseconds. */
export function retryAfter(waitMs: number): string {
  return String(Math.max(1, Math.ceil(waitMs / 1000)))
}
