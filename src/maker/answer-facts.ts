import { bodyFactsLeftHand, bodyFactsRightHand } from './body-facts.ts';
import { chargeFacts } from './charge-facts.ts';
import { climateFacts } from './climate-facts.ts';
import { configFacts, guiFacts } from './config-facts.ts';
import { driveFacts } from './drive-facts.ts';
import { type Fact, type Facts, factIfKnown, factsOf, noted, unused } from './facts.ts';
import { flag, text } from './readers.ts';
import { accessWord, connectivityWord } from './vehicle-identity.ts';
import type { ListItemWire, VehicleDataWire } from './wire.ts';

const listItemTable: Facts<ListItemWire> = {
  display_name: factIfKnown('vehicleName', text),
  access_type: noted(accessWord),
  in_service: noted(flag),
  state: noted(connectivityWord),
  api_version: unused,
  backseat_token: unused,
  backseat_token_updated_at: unused,
  ble_autopair_enrolled: unused,
  calendar_enabled: unused,
  color: unused,
  command_signing: unused,
  granular_access: unused,
  id: unused,
  id_s: unused,
  option_codes: unused,
  release_notes_supported: unused,
  tokens: unused,
  user_id: unused,
  vehicle_id: unused,
  vin: unused,
};

function answerTable(bodyFacts: Fact): Facts<VehicleDataWire> {
  return {
    charge_state: chargeFacts,
    climate_state: climateFacts,
    drive_state: driveFacts,
    vehicle_state: bodyFacts,
    vehicle_config: configFacts,
    gui_settings: guiFacts,
    ...listItemTable,
  };
}

/** What an item of the list tells. */
export const listItemFacts = factsOf(listItemTable);

/** What an answer of `vehicle_data` tells of a vehicle with the wheel on the left. */
export const answerFactsLeftHand = factsOf(answerTable(bodyFactsLeftHand));

/** What an answer of `vehicle_data` tells of a vehicle with the wheel on the right. */
export const answerFactsRightHand = factsOf(answerTable(bodyFactsRightHand));
