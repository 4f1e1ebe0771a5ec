// What the panels of the Grafana dashboard ask Prometheus.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../tidy/read-sources.js';

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

/** The files for Prometheus and Grafana. */
export const monitoringFolder = join(projectRoot, 'docs', 'monitoring');

/** The expressions of all panels, with Grafana's variables. */
export function dashboardExpressions(): readonly string[] {
  const text = readFileSync(join(monitoringFolder, 'grafana-dashboard.json'), 'utf8');
  const { panels }: Dashboard = JSON.parse(text);
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}
