/** `keelson validator ...`: duties, stake and keys of a validator. One line a subcommand, each in a file or folder beside this one. */
import type { CommandGroup } from '../../command.ts'
import { validatorKeysCommand } from './keys/keys.ts'
import { validatorProtectionCommand } from './protection/protection.ts'

export const validatorCommand: CommandGroup = {
  name: 'validator',
  summary: 'duties, stake and keys of a validator',
  commands: {
    keys: async () => validatorKeysCommand,
    protection: async () => validatorProtectionCommand,
  },
}
