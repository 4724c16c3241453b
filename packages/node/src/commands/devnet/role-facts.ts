import { conductorSecretPath } from '@keelson/conductor'
import type { RoleFacts } from '@keelson/devnet'
import { RPC_NAMESPACES } from '@keelson/execution'
import { VALIDATOR_FINAL_EXITS } from '../validator/run/final-exits.ts'

export const ROLE_FACTS: RoleFacts = {
  rpcNamespaces: RPC_NAMESPACES,
  validatorFinalExits: VALIDATOR_FINAL_EXITS,
  conductorSecret: conductorSecretPath,
}
