/** Deposits and withdrawals, for programs that need nothing else of this package. */
export * from './output-oracle.ts'
export * from './portal-withdrawals.ts'
export * from './standard-bridge.ts'
export * from './withdrawal.ts'
