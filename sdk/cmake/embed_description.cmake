# Writes a C header with the bytes of a module's description: the text message TEXT (files, with "|"
# between them), encoded, and behind it the descriptor set FILES as its field 15. A protobuf message
# may be written in pieces, so joining the two needs no program of our own.
# Its name is longshore_module_description, unless SYMBOL gives another.
#   cmake -DPROTOC= -DPROTO_DIR= -DTEXT= -DFILES= -DOUTPUT= [-DSYMBOL=] -P embed_description.cmake
if(NOT SYMBOL)
  set(SYMBOL longshore_module_description)
endif()
string(REPLACE "|" ";" texts "${TEXT}")
set(whole_text)
foreach(text IN LISTS texts)
  file(READ ${text} part)
  string(APPEND whole_text "${part}")
endforeach()
file(WRITE ${OUTPUT}.textproto "${whole_text}")
execute_process(
    COMMAND ${PROTOC} --proto_path=${PROTO_DIR} --encode=longshore.module.v1.Description
            ${PROTO_DIR}/longshore/module/v1.proto
    INPUT_FILE ${OUTPUT}.textproto OUTPUT_FILE ${OUTPUT}.bin COMMAND_ERROR_IS_FATAL ANY)
file(READ ${OUTPUT}.bin description HEX)
file(READ ${FILES} files HEX)

string(LENGTH "${files}" length)
math(EXPR length "${length} / 2")
set(prefix "7a")  # field 15, length-delimited
while(length GREATER 127)
  math(EXPR byte "(${length} & 127) | 128" OUTPUT_FORMAT HEXADECIMAL)
  string(SUBSTRING ${byte} 2 -1 byte)
  string(APPEND prefix ${byte})
  math(EXPR length "${length} >> 7")
endwhile()
math(EXPR byte "${length} | 256" OUTPUT_FORMAT HEXADECIMAL)  # 256: keeps a leading zero
string(SUBSTRING ${byte} 3 -1 byte)
string(APPEND prefix ${byte})

string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${description}${prefix}${files}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT}
"/* Made by embed_description.cmake. */
static const unsigned char ${SYMBOL}[] = {
${bytes}};
static const unsigned long long ${SYMBOL}_size =
    sizeof(${SYMBOL});
")
