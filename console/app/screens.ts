// The screens of the console, in the order of the navigation. A screen is loaded when it is first shown.
import type { ComponentType } from 'preact';
import type { IconName } from '../parts/icon.js';
import { lazily } from '../parts/lazy.js';

/** A screen: what `#/{path}` and everything below it show. */
export interface Screen {
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  /** A heading above it in the navigation. */
  readonly group?: string;
  readonly component: ComponentType<object>;
}

/** The screens; the first one is shown where the address names none. */
export const screens: readonly Screen[] = [
  {
    path: 'data',
    title: 'Data',
    icon: 'data',
    component: lazily(async () => (await import('../data/data-screen.js')).DataScreen),
  },
  {
    path: 'overview',
    title: 'Overview',
    icon: 'overview',
    group: 'Operations',
    component: lazily(async () => (await import('../operations/overview-screen.js')).OverviewScreen),
  },
  {
    path: 'metrics',
    title: 'Metrics',
    icon: 'metrics',
    component: lazily(async () => (await import('../operations/metrics-screen.js')).MetricsScreen),
  },
  {
    path: 'events',
    title: 'Events',
    icon: 'events',
    component: lazily(async () => (await import('../operations/events-screen.js')).EventsScreen),
  },
  {
    path: 'alerts',
    title: 'Alerts',
    icon: 'alerts',
    component: lazily(async () => (await import('../operations/alerts-screen.js')).AlertsScreen),
  },
  {
    path: 'notifications',
    title: 'Notifications',
    icon: 'notifications',
    component: lazily(
      async () => (await import('../operations/notifications-screen.js')).NotificationsScreen,
    ),
  },
  {
    path: 'actions',
    title: 'Actions',
    icon: 'actions',
    component: lazily(async () => (await import('../operations/actions-screen.js')).ActionsScreen),
  },
  {
    path: 'archive',
    title: 'Archive',
    icon: 'archive',
    component: lazily(async () => (await import('../operations/archive-screen.js')).ArchiveScreen),
  },
  {
    path: 'keys',
    title: 'Keys',
    icon: 'key',
    component: lazily(async () => (await import('../operations/keys-screen.js')).KeysScreen),
  },
  {
    path: 'clusters',
    title: 'Clusters',
    icon: 'clusters',
    component: lazily(async () => (await import('../operations/clusters-screen.js')).ClustersScreen),
  },
];
