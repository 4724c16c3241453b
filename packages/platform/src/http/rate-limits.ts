/** `--http.limit-scale` multiplies all rate limits. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export const RATE_LIMITS = {
  read: { requests: 600, windowMs: MINUTE_MS },
  write: { requests: 240, windowMs: MINUTE_MS },
  credentials: { requests: 120, windowMs: MINUTE_MS },
  /** Users that one address may register. It is low because every user brings its own limits. */
  registration: { requests: 30, windowMs: HOUR_MS },
  chat: { requests: 120, windowMs: MINUTE_MS },
  research: { requests: 60, windowMs: MINUTE_MS },
  execution: { requests: 60, windowMs: MINUTE_MS },
} as const satisfies Record<string, RateLimit>

export function scaledLimit({ requests, windowMs }: RateLimit, scale: number): RateLimit {
  return { requests: Math.max(1, Math.round(requests * scale)), windowMs }
}
