/** The agent platform: an HTTP API over the chain's public RPC, and only a user of it. */
export * from './http/api-error.ts'
export * from './http/guards.ts'
export * from './http/platform-server.ts'
export * from './http/rate-limit-store.ts'
export * from './http/redis-rate-limits.ts'
export * from './http/route.ts'
