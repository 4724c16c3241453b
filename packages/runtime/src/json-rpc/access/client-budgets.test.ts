import { createManualClock } from '../../clock.ts'
import { describeClientBudgets } from './client-budgets.test-support.ts'
import { createClientBudgets } from './client-budgets.ts'

describeClientBudgets('in memory', (maxClients) => {
  const clock = createManualClock()
  return { budgets: createClientBudgets(clock, maxClients), clock, exchange: async () => undefined }
})
