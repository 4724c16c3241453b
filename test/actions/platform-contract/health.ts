import type { ContractTable } from '../../support/platform/contract-case.ts'

export const HEALTH: ContractTable = { 'GET /health': {}, 'GET /api/v1/health': {} }
