/** How often callers may ask: the numbers of all routes, multiplied by `--http.limit-scale`. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

const MINUTE_MS = 60_000

/** Of one caller (session, user, or address without a token) at one endpoint; all sessions of a user together have five times as many. */
export const RATE_LIMITS = {
  /** Reading what is stored, or near at hand. */
  read: { requests: 600, windowMs: MINUTE_MS },
  /** Storing something, or asking another system. */
  write: { requests: 240, windowMs: MINUTE_MS },
  /** Login and registration: each costs a password hash. */
  credentials: { requests: 120, windowMs: MINUTE_MS },
  chat: { requests: 120, windowMs: MINUTE_MS },
  research: { requests: 60, windowMs: MINUTE_MS },
  execution: { requests: 60, windowMs: MINUTE_MS },
} as const satisfies Record<string, RateLimit>

/** At least one request, however small the scale. */
export function scaledLimit({ requests, windowMs }: RateLimit, scale: number): RateLimit {
  return { requests: Math.max(1, Math.round(requests * scale)), windowMs }
}
