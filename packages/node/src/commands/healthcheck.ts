import { readFileSync } from 'node:fs'
import { type OptionFile, option, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../command.ts'
import { configNames } from '../config-files/config-flag.ts'
import { AssemblyError } from '../errors.ts'
import { askHealth } from '../healthcheck/ask-health.ts'
import { findHealthTarget, keelsonWords, roleOf } from '../healthcheck/find-target.ts'

const CONTAINER_PROCESS = '/proc/1/cmdline'

export const healthcheckCommand = defineCommand({
  name: 'healthcheck',
  summary: 'check the health of a role; exit code 0 when it answers',
  usage: '[--ready] [-- COMMAND LINE OF THE ROLE]',
  explanation: `Without a command line it checks process 1, which in a container is the container's role:
  keelson healthcheck
  keelson healthcheck --ready -- consensus --metrics.port 7320
It prints one line that names the checks that fail. A role that answers but is not ready, such as a node that is still syncing, is
healthy without --ready: an orchestrator that restarts unhealthy containers must not restart it for that.`,
  options: {
    ready: option({
      key: 'healthcheck.ready',
      flag: 'ready',
      parse: parse.toggle,
      default: false,
      description: 'Exit code 1 also when the role answers and one of its checks fails.',
    }),
    timeout: option({
      key: 'healthcheck.timeout',
      flag: 'timeout',
      parse: parse.duration(100, 60_000),
      default: 5_000,
      description: 'Deadline for the answer.',
    }),
  },
  takesArguments: true,
  async run({ ready, timeout }, { positional }) {
    const words = positional.length > 0 ? positional : containerWords()
    const health = await askHealth(findHealthTarget(words, process.env, await configFilesOf(words)), timeout)
    console.log(health.text)
    return (ready ? health.ready : health.alive) ? 0 : 1
  },
})

async function configFilesOf(words: readonly string[]): Promise<readonly OptionFile[]> {
  const names = configNames(words)
  if (names.length === 0) return []
  const { readConfigFiles } = await import('../config-files/config-files.ts')
  return readConfigFiles(names, roleOf(words), async () => true)
}

function containerWords(): readonly string[] {
  const words = keelsonWords(readArguments())
  if (words !== null) return words
  throw new AssemblyError('node/usage', 'process 1 is not keelson: name the role, as in keelson healthcheck -- execution')
}

function readArguments(): readonly string[] {
  try {
    return readFileSync(CONTAINER_PROCESS, 'utf8').split('\0').slice(0, -1)
  } catch {
    return []
  }
}
