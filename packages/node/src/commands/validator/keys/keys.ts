/** `keelson validator keys ...`: signing keys in password-protected files. */
import type { CommandGroup } from '../../../command.ts'

export const validatorKeysCommand: CommandGroup = {
  name: 'validator keys',
  summary: 'signing keys in password-protected files (EIP-2335)',
  commands: {},
}
