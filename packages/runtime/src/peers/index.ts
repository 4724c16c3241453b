/** Who may connect, whom to dial and whom to ban, for any peer-to-peer network. */
export * from './address-buckets.ts'
export * from './address-scope.ts'
export * from './ban-list.ts'
export * from './candidates.ts'
export * from './connection-rules.ts'
export * from './refusal-log.ts'
export * from './score-bans.ts'
export * from './subnet-table.ts'
