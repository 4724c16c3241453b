import type { CommandGroup } from '../../../command.ts'

export const validatorKeysCommand: CommandGroup = {
  name: 'validator keys',
  summary: 'signing keys in password-protected files (EIP-2335)',
  commands: {
    new: async () => (await import('./new-key.ts')).newKeyCommand,
    import: async () => (await import('./import-key.ts')).importKeyCommand,
    list: async () => (await import('./list-keys.ts')).listKeysCommand,
    export: async () => (await import('./export-key.ts')).exportKeyCommand,
    password: async () => (await import('./change-password.ts')).changePasswordCommand,
  },
}
