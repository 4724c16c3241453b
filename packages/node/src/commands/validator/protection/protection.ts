import type { CommandGroup } from '../../../command.ts'

export const validatorProtectionCommand: CommandGroup = {
  name: 'validator protection',
  summary: 'the record of what keys have signed: look at it, move it, begin it',
  commands: {
    show: async () => (await import('./show-protection.ts')).showProtectionCommand,
    export: async () => (await import('./export-protection.ts')).exportProtectionCommand,
    import: async () => (await import('./import-protection.ts')).importProtectionCommand,
    init: async () => (await import('./init-protection.ts')).initProtectionCommand,
    'clear-stop': async () => (await import('./clear-stop.ts')).clearStopCommand,
  },
}
