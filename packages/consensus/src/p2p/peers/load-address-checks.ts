/** The checks of peer addresses, loaded with the network's libraries only when there is an address to check. */
export const loadAddressChecks = () => import('./peer-address.ts')
