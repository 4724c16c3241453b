import { messageOf } from '@keelson/primitives'
import type { DoctorCheck } from '../doctor-context.ts'
import { fail, ok } from '../finding.ts'

const MIN_NODE = [20, 19] as const

export const nodeCheck: DoctorCheck = {
  name: 'node',
  async run({ machine }) {
    const [major = 0, minor = 0] = machine.nodeVersion.split('.').map(Number)
    if (major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1])) {
      return fail(`Node.js ${machine.nodeVersion}`, `at least ${MIN_NODE.join('.')} is needed`, 'install a newer one')
    }
    try {
      await machine.loadNativeModules()
    } catch (error) {
      return fail('a native module does not load', messageOf(error), 'run "npm ci" again on this machine')
    }
    return ok(`Node.js ${machine.nodeVersion}, native modules load`)
  },
}
