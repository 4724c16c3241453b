/** `keelson validator protection ...`: the record of what keys have signed. */
import type { CommandGroup } from '../../../command.ts'

export const validatorProtectionCommand: CommandGroup = {
  name: 'validator protection',
  summary: 'the record of what keys have signed: begin, move and look at it',
  commands: {},
}
