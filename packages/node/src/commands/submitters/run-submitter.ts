import {
  createHealthServer,
  createReadiness,
  createSystemClock,
  type HealthCheck,
  type OptionValues,
  option,
  optionParsers as parse,
  type RpcMethods,
  type Service,
} from '@keelson/runtime'
import type { L1Connection } from '../../l1/l1-connection.ts'
import { createL1Silence } from '../../l1/l1-silence.ts'
import { healthAddress, type Role, type roleOptions } from '../../role/role.ts'
import { type AdminRpcValues, adminRpcOptions, openAdminRpc } from './admin-rpc.ts'

export function submitterOptions(ports: { readonly admin: number; readonly metrics: number }, methods: string) {
  return {
    ...adminRpcOptions(ports.admin, methods),
    metricsPort: option({ key: 'metrics.port', parse: parse.port, default: ports.metrics, description: 'Prometheus metrics and health.' }),
  } as const
}

export interface Submitter extends Service {
  readonly methods: RpcMethods
  trouble(): { readonly reason: string } | null
}

type SubmitterValues = AdminRpcValues &
  Pick<OptionValues<ReturnType<typeof submitterOptions>>, 'metricsPort'> &
  Pick<OptionValues<typeof roleOptions>, 'metricsHost' | 'metricsVirtualHosts'>

/** Services in `around` start before the submitter and stop after it. Throws openAdminRpc's errors. */
export async function runSubmitter(
  role: Role,
  values: SubmitterValues,
  submitter: Submitter,
  around: readonly Service[],
  sender: Pick<Submitter, 'trouble'>,
  l1: Pick<L1Connection, 'rpc' | 'answers'>,
): Promise<number> {
  const { clock, log, metrics } = role
  const silence = createL1Silence(l1.answers, l1.rpc.host, { clock, log })
  const submitting: HealthCheck = {
    name: 'submitting',
    check: () => {
      const trouble = silence.trouble() ?? submitter.trouble() ?? sender.trouble()
      return trouble === null ? { ok: true } : { ok: false, reason: trouble.reason }
    },
  }
  const readiness = createReadiness([submitting], { clock, log, metrics })
  const health = healthAddress(values)
  // JWTs use the machine's real clock.
  const admin = await openAdminRpc(values, { methods: submitter.methods, log, clock: createSystemClock(), metrics })
  return role.run([createHealthServer(health, { metrics, readiness, clock, log }), silence, ...around, submitter, admin])
}
