/** The etcd that conductors share (--store). */

import { examineEtcd } from '@keelson/conductor'
import { counted } from '@keelson/primitives'
import { connectEtcd } from '../../etcd/etcd-options.ts'
import type { DoctorCheck } from '../doctor-context.ts'
import { fail, ok, type Result, skip, warn } from '../finding.ts'

/** The API over JSON is /v3/ from this version on. */
const LEAST_VERSION = [3, 4] as const
/** Members that survive the loss of one. */
const LEAST_MEMBERS = 3
/** Three quarters of etcd's default quota. */
const LARGE_BYTES = 1.5 * 2 ** 30
const CONSEQUENCE = 'no block is sealed without a majority of its members'

export const etcdCheck: DoctorCheck = {
  name: 'etcd',
  async run({ settings, probe }) {
    if (settings.etcd === null) return skip('etcd', 'no --store etcd://...')
    const { client, http } = connectEtcd(settings.etcd, probe.sampling)
    const { members, clusterSize, quorumTrouble, alarms } = await examineEtcd(client).finally(() => http.close())
    const silent = members.filter(({ trouble }) => trouble !== null)
    const reasons = silent.map(({ endpoint, trouble }) => `${new URL(endpoint).host}: ${trouble}`).join('; ')
    if (silent.length === members.length)
      return fail(`no member of etcd answers: ${reasons}`, CONSEQUENCE, 'start etcd, or correct --store and its TLS options')
    if (quorumTrouble !== null)
      return fail(
        `etcd has no quorum: ${members.length - silent.length} of ${members.length} members answer`,
        CONSEQUENCE,
        `start the others (${reasons || quorumTrouble})`,
      )
    const results: Result[] = []
    const old = members.find(({ trouble, version }) => trouble === null && isOld(version))
    if (old !== undefined)
      results.push(
        fail(`etcd ${old.version} at ${new URL(old.endpoint).host} is too old`, 'its API is another one', 'install 3.4 or later'),
      )
    for (const alarm of alarms)
      results.push(
        fail(
          `etcd raises the alarm ${alarm}`,
          'it refuses writes, and no block is sealed',
          'etcdctl alarm list; compact, defragment, then etcdctl alarm disarm',
        ),
      )
    if (silent.length > 0)
      results.push(warn(`a member of etcd does not answer: ${reasons}`, 'the failure of another may end the quorum', 'start it'))
    if (clusterSize !== null && clusterSize < LEAST_MEMBERS)
      results.push(
        warn(`etcd has ${counted(clusterSize, 'member')}`, 'the loss of one ends the quorum', `run ${LEAST_MEMBERS} on separate machines`),
      )
    const largest = Math.max(...members.map(({ databaseBytes }) => databaseBytes))
    if (largest > LARGE_BYTES)
      results.push(
        warn(
          `the database of etcd has ${(largest / 2 ** 30).toFixed(1)} GiB`,
          'etcd refuses writes above its quota, 2 GiB by default',
          'etcdctl defrag, and --quota-backend-bytes',
        ),
      )
    const versions = [...new Set(members.flatMap(({ trouble, version }) => (trouble === null ? [version] : [])))].join(', ')
    return results.length > 0
      ? results
      : ok(`etcd ${versions}: ${members.length} of ${clusterSize ?? members.length} members answer and have a quorum`)
  },
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor < LEAST_VERSION[1])
}
