/** The faucet without HTTP and PostgreSQL. */
export { NO_CAPTCHA } from './captcha.ts'
export type { Claim } from './claims/claim.ts'
export type { ClaimAnswer } from './claims/claim-answer.ts'
export type { ClaimService } from './claims/claim-service.ts'
export { createFaucetBackend, type FaucetBackend, type FaucetBackendOptions } from './faucet-backend.ts'
