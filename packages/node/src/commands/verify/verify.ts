import type { CommandGroup } from '../../command.ts'

export const verifyCommand: CommandGroup = {
  name: 'verify',
  summary: 'block: execute blocks of a node again, from their witness, with other libraries',
  commands: { block: async () => (await import('./verify-block.ts')).verifyBlockCommand },
}
